// SPDX-License-Identifier: Apache-2.0
// What the examples of cxx/docs/cpp.md and cxx/docs/cpp_calls.md find around them: generate_docs.py puts each
// into a function of its own.
#pragma once

#include <lisle/allocator.hpp>
#include <lisle/alltoallw.hpp>
#include <lisle/attribute.hpp>
#include <lisle/coroutine.hpp>
#include <lisle/execution.hpp>
#include <lisle/file.hpp>
#include <lisle/grid_exchange.hpp>
#include <lisle/halo.hpp>
#include <lisle/handover.hpp>
#include <lisle/info.hpp>
#include <lisle/jobs.hpp>
#include <lisle/layout.hpp>
#include <lisle/lisle.hpp>
#include <lisle/parallel.hpp>
#include <lisle/pool.hpp>
#include <lisle/rank_thread.hpp>
#include <lisle/recover.hpp>
#include <lisle/reproducible.hpp>
#include <lisle/run.hpp>
#include <lisle/serialize.hpp>
#include <lisle/session.hpp>
#include <lisle/sort.hpp>
#include <lisle/sparse_exchange.hpp>
#include <lisle/timers.hpp>
#include <lisle/topology.hpp>
#include <lisle/two_messages.hpp>
#include <lisle/window.hpp>

#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <list>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

struct particle {
    char kind;
    double position[3];
};

inline void compute() {}

/// A file name that no other job has, which is removed in the end.
class file_name {
  public:
    file_name() {
        auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        lisle::world().broadcast(now);
        name_ = "surroundings." + std::to_string(now);
    }
    file_name(const file_name &) = delete;
    file_name &operator=(const file_name &) = delete;
    ~file_name() { std::remove(name_.c_str()); }
    operator const std::string &() const { return name_; }

  private:
    std::string name_;
};

/// The variables that examples use; each gets fresh ones.
struct surroundings {
    int rank = lisle::world().rank();
    int size = lisle::world().size();
    int next = (rank + 1) % size;
    int previous = (rank + size - 1) % size;
    int seven = 7;
    std::vector<int> mine = std::vector<int>(static_cast<std::size_t>(rank), rank);
    int my_count = rank;
    particle p{'p', {1, 2, 3}};
    std::vector<double> out = std::vector<double>(100, 1.0), in = std::vector<double>(100);
    std::vector<int> how_many = std::vector<int>(static_cast<std::size_t>(size), 2);
    std::vector<int> pieces = std::vector<int>(static_cast<std::size_t>(2 * size), rank);
    file_name name;
};
