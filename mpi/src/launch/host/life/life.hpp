// SPDX-License-Identifier: Apache-2.0
// How ranks begin and end within the process. A rank that has ended keeps its thread, asleep, and its
// image, as a process keeps its memory until it is gone: other threads of the rank may still look at them.
#pragma once

#include "launch/host/life/exit_list.hpp"
#include "launch/host/rank/hosted_rank.hpp"

#include <atomic>
#include <memory>
#include <pthread.h>
#include <vector>

namespace lisle::host {

/// When a rank ends, and what it runs then.
struct life_state {
    exit_list exits;       ///< atexit and the destructors of static objects
    exit_list quick_exits; ///< at_quick_exit
    /// The thread that ends the rank, 0 before; written once. Acquire-release: it sees what the others did.
    std::atomic<pthread_t> ended_by{};
    /// Threads of the rank that have not ended; the last one to end ends the rank (pthread_exit in main).
    /// Acquire-release, so that the last one sees what the others did.
    std::atomic<int> threads{1};
};

inline const rank_slot<life_state> rank_life;

using rank_list = std::vector<std::unique_ptr<hosted_rank>>;

/// Starts all ranks and waits until they have ended. Returns the process's exit status:
/// the first one that was not 0. Throws `refusal` before any rank runs if threads cannot be had.
int run_ranks(const rank_list &ranks);

/// Enters the program's start code on the calling thread (in start.cpp).
[[noreturn]] void enter_program(const hosted_rank &rank);

/// Ends the calling thread's rank with this status, after its handlers. A second thread of the same rank
/// that comes here sleeps.
[[noreturn]] void end_rank(hosted_rank &rank, int status);

/// Ends the rank at once: no handler, no flushing.
[[noreturn]] void end_rank_now(hosted_rank &rank, int status);

/// A thread of the rank has ended: the last one takes the rank with it, as in a process whose main called
/// pthread_exit.
void leave_rank(hosted_rank &rank);

/// The same for the fiber that runs main, which has called pthread_exit.
[[noreturn]] void leave_fiber(hosted_rank &rank);

/// A thread of the rank is about to be created: counts it, or forgets it again if that failed.
void expect_thread(hosted_rank &rank) noexcept;
void forget_thread(hosted_rank &rank) noexcept;

/// Makes the calling thread one of the rank's: its notes, its thread-local variables, its end.
void join_rank(hosted_rank &rank, bool first);

} // namespace lisle::host
