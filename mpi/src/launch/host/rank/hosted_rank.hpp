// SPDX-License-Identifier: Apache-2.0
// One thread or fiber rank as the host sees it: what the kernel gives a process at its start, and typed slots
// in which the layers above keep what a process would have to itself: its code, its standard streams, the
// hidden state of the C library. Lives until the process ends. The threads of the rank reach it through their
// notes (architecture.hpp); no other rank's thread ever does.
#pragma once

#include "launch/host/architecture/architecture.hpp"
#include "launch/host/rank/environment.hpp"

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

struct lisle_rank;

namespace lisle::host {

class hosted_rank {
  public:
    /// How the value of a slot is made for a rank, and removed.
    struct slot_type {
        void *(*make)();
        void (*destroy)(void *value);
    };

    /// @param which_program of this process
    hosted_rank(int which, int number_in_job, int which_program, std::vector<std::string> words);
    ~hosted_rank();
    hosted_rank(const hosted_rank &) = delete;
    hosted_rank &operator=(const hosted_rank &) = delete;

    const int index;                    ///< among the ranks of this process
    const int number;                   ///< in the job
    const int program;                  ///< of those of this process
    std::vector<std::string> arguments; ///< argv, which the program may write to
    environment variables;
    lisle_rank *in_library = nullptr; ///< as the library knows it; valid until the rank has ended

    /// Each rank that is made from now on has such a slot; its number. Slots are defined before main.
    static std::size_t add_slot(const slot_type &type);
    [[nodiscard]] void *slot(std::size_t which) const noexcept { return slots_[which]; }

  private:
    std::vector<void *> slots_; ///< never changed once the rank is made, so signal handlers may read it
};

/// The calling thread's rank, or null.
[[nodiscard]] inline hosted_rank *this_rank() noexcept {
    return architecture::notes().rank;
}

/// A namespace-scope object: `inline const rank_slot<T> name;`. Each rank has a T of its own, made with the
/// rank.
template <class T> class rank_slot {
  public:
    rank_slot()
        : which_(hosted_rank::add_slot(
              {[]() -> void * { return new T(); }, [](void *value) { delete static_cast<T *>(value); }})) {}

    [[nodiscard]] T &of(hosted_rank &rank) const noexcept { return *static_cast<T *>(rank.slot(which_)); }
    [[nodiscard]] const T &of(const hosted_rank &rank) const noexcept {
        return *static_cast<const T *>(rank.slot(which_));
    }
    /// The calling thread's rank's, or the one that all threads of no rank share.
    [[nodiscard]] T &current() const {
        static T others;
        hosted_rank *const rank = this_rank();
        return rank != nullptr ? of(*rank) : others;
    }

  private:
    std::size_t which_;
};

/// The kernel's number of the process that runs the ranks, also in a child of it. Called once before any rank
/// runs.
[[nodiscard]] pid_t host_process() noexcept;

/// Whether this is a child that a rank has forked.
[[nodiscard]] bool in_child() noexcept;

} // namespace lisle::host
