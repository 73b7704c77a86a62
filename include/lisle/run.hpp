// SPDX-License-Identifier: Apache-2.0
// Ranks inside a running program, with no launcher: lisle::run makes a job of threads or fibers, runs a
// function on each rank and returns when all have ended. Needs Lisle's library (MPIX_Run); everything that
// the function calls is standard MPI.
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>

#include "lisle/config.hpp"

#if !LISLE_EXTENSIONS
#error "lisle/run.hpp needs Lisle's extension calls"
#endif

namespace lisle {

/// What ranks made by lisle::run are.
enum class rank_kind : int {
    thread = MPIX_RANKS_THREADS, ///< each has a thread of its own
    fiber = MPIX_RANKS_FIBERS, ///< many share a worker thread: thousands are cheap, waiting costs nanoseconds
};

struct run_options {
    rank_kind kind = rank_kind::thread;
    int workers = 0; ///< threads for fibers; 0: as many as there are cores
};

namespace detail {

/// What ranks made inside the program may call until they end.
class initialized_rank {
  public:
    // One thread for each rank: others that it starts belong to no rank.
    initialized_rank() { MPI_Init(nullptr, nullptr); }
    ~initialized_rank() { MPI_Finalize(); }
    initialized_rank(const initialized_rank &) = delete;
    initialized_rank &operator=(const initialized_rank &) = delete;
};

} // namespace detail

/// Runs `function()` on each of `ranks` ranks, between MPI_Init and MPI_Finalize, and returns when all have
/// ended. MPI_COMM_WORLD is the new job's there. The function is one object that all ranks call at once; an
/// exception that leaves it ends the program (std::terminate), as other ranks would wait for ever.
/// Throws std::runtime_error before any rank runs if the system does not give the threads or the memory.
///
///     lisle::run(8, [&] { MPI_Allreduce(...); });
///     lisle::run(10000, [] { MPI_Barrier(MPI_COMM_WORLD); }, {.kind = lisle::rank_kind::fiber});
template <std::invocable Function> void run(int ranks, Function &&function, run_options options = {}) {
    const auto body = [](void *opaque) noexcept -> int {
        const detail::initialized_rank self;
        (*static_cast<std::remove_reference_t<Function> *>(opaque))();
        return 0;
    };
    auto *const context = const_cast<void *>(static_cast<const void *>(std::addressof(function)));
    int status = 0;
    if (MPIX_Run(ranks, static_cast<int>(options.kind), options.workers, +body, context, &status) !=
        MPI_SUCCESS) {
        throw std::runtime_error{"lisle::run: the ranks could not be made"};
    }
}

} // namespace lisle
