// SPDX-License-Identifier: Apache-2.0
// One thread rank as the host sees it: its image, and the state that a process would have to itself but
// the C library keeps once for all. Lives until the process ends. The threads of the rank reach it through
// their notes (architecture.hpp); no other rank's thread ever does.
#pragma once

#include "launch/host/architecture.hpp"
#include "launch/host/exit_list.hpp"
#include "launch/host/image.hpp"

#include <atomic>
#include <pthread.h>

struct lisle_rank;

namespace lisle::host {

struct hosted_rank {
    hosted_rank(const program_file &file, int which) : program(file), index(which), code(file, which) {}

    const program_file &program;
    int index;       ///< among the ranks of this process
    int number = -1; ///< in the job
    image code;
    lisle_rank *rank = nullptr; ///< the library's view; valid until the rank has ended
    exit_list exits;            ///< atexit and the destructors of static objects
    exit_list quick_exits;      ///< at_quick_exit
    bool destructed = false;    ///< its static destructors have begun; for the thread that ends the rank only
    /// The thread that ends the rank, 0 before; written once. Acquire-release: it sees what the others did.
    std::atomic<pthread_t> ended_by{};
    /// Threads of the rank that have not ended; the last one to end ends the rank (pthread_exit in main).
    /// Acquire-release, so that the last one sees what the others did.
    std::atomic<int> threads{1};
};

/// The calling thread's rank, or null.
[[nodiscard]] inline hosted_rank *this_rank() noexcept {
    return architecture::notes().rank;
}

} // namespace lisle::host
