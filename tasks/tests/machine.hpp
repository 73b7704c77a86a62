// SPDX-License-Identifier: Apache-2.0
// What tests of the task machine have in common: kernels, and machines of one rank or of all ranks of a job.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lisle/task/kernel.hpp"
#include "lisle/task/machine.hpp"

namespace test {

namespace tasks = lisle::tasks;

struct point {
    double x = 0, y = 0;
    std::string name;
    bool operator==(const point &) const = default;
};

/// A kernel with a state, of which each tile has one.
class probe {
  public:
    explicit probe(const tasks::tile_place &where) : where_{where} {}
    int sleep(int milliseconds) const {
        std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
        return where_.tile;
    }
    long add(long a, long b) const { return a + b; }
    int tile() const { return where_.tile; }
    int rank() const { return where_.rank; }
    long note(long number) {
        noted_.push_back(number);
        return number;
    }
    std::vector<long> noted() const { return noted_; }
    long thread() const {
        return static_cast<long>(std::hash<std::thread::id>{}(std::this_thread::get_id()) >> 1U);
    }
    long fail(const std::string &why) const { throw std::runtime_error{why}; }
    double norm(const point &p) const { return p.x * p.x + p.y * p.y; }
    point make(double x, double y, const std::string &name) const { return {x, y, name}; }
    std::vector<double> numbers(long count, double first) const {
        std::vector<double> made(static_cast<std::size_t>(count));
        for (double &each : made) {
            each = first++;
        }
        return made;
    }
    double sum(const std::vector<double> &numbers) const {
        double all = 0;
        for (const double each : numbers) {
            all += each;
        }
        return all;
    }
    /// Where the numbers lie in memory.
    long place(const std::vector<double> &numbers) const { return reinterpret_cast<long>(numbers.data()); }
    std::vector<double> scaled(std::vector<double> numbers, double by) const {
        for (double &each : numbers) {
            each *= by;
        }
        return numbers;
    }
    std::vector<std::string> words(const std::string &a, const std::string &b) const { return {a, b}; }
    std::string joined(const std::vector<std::string> &words) const {
        std::string all;
        for (const auto &word : words) {
            all += word;
        }
        return all;
    }

  private:
    const tasks::tile_place where_;
    std::vector<long> noted_;
};

inline void add_probe(tasks::registry &kernels) {
    kernels.add("probe.sleep", &probe::sleep);
    kernels.add("probe.add", &probe::add);
    kernels.add("probe.tile", &probe::tile);
    kernels.add("probe.rank", &probe::rank);
    kernels.add("probe.note", &probe::note);
    kernels.add("probe.noted", &probe::noted);
    kernels.add("probe.thread", &probe::thread);
    kernels.add("probe.fail", &probe::fail);
    kernels.add("probe.norm", &probe::norm);
    kernels.add("probe.make", &probe::make);
    kernels.add("probe.numbers", &probe::numbers);
    kernels.add("probe.sum", &probe::sum);
    kernels.add("probe.place", &probe::place);
    kernels.add("probe.scaled", &probe::scaled);
    kernels.add("probe.words", &probe::words);
    kernels.add("probe.joined", &probe::joined);
}

/// What a program gives, as text: its value, or "error: " and the sentence.
inline std::string outcome(tasks::machine &machine, const std::string &program) {
    try {
        return tasks::to_string(machine.evaluate(tasks::read(program)).get());
    } catch (const std::exception &error) {
        return std::string{"error: "} + error.what();
    }
}

} // namespace test
