// SPDX-License-Identifier: Apache-2.0
// Ranks inside a running program, with no launcher: lisle::run makes a job of threads or fibers, runs a
// function on each rank and returns when all have ended. Needs Lisle's library (MPIX_Run); everything that
// the function calls is standard MPI. See docs/embedding.md.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include "lisle/detail/config.hpp"

#if !LISLE_USE_EXTENSIONS
#error "lisle/run.hpp needs Lisle's extension calls"
#endif

namespace lisle {

/// The kinds of ranks that lisle::run makes.
enum class rank_kind : int {
    thread = MPIX_RANKS_THREADS, ///< each has a thread of its own
    fiber = MPIX_RANKS_FIBERS, ///< many share a worker thread: thousands are cheap, waiting costs nanoseconds
};

/// How run() makes its ranks.
struct run_options {
    rank_kind kind = rank_kind::thread;
    int workers = 0; ///< threads for fibers; 0: as many as there are cores
    /// How long a rank that an exception has ended waits for the others, which perhaps wait for it.
    std::chrono::milliseconds patience = std::chrono::seconds{10};
};

namespace detail {

/// What ranks made inside the program may call until they end.
class initialized_rank {
  public:
    // One thread for each rank: others that it starts belong to no rank. Errors become exceptions, as with an
    // environment.
    initialized_rank() {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    ~initialized_rank() { MPI_Finalize(); }
    initialized_rank(const initialized_rank &) = delete;
    initialized_rank &operator=(const initialized_rank &) = delete;
};

/// The state that the ranks of one lisle::run share.
template <class Function> class common_run {
  public:
    common_run(Function &function, int ranks, std::chrono::milliseconds patience) noexcept
        : function_{function}, ranks_{ranks}, spin_policy_{patience} {}

    static int run_rank(void *self) noexcept {
        const initialized_rank mpi;
        static_cast<common_run *>(self)->run_here();
        return 0;
    }

    void rethrow() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

  private:
    void run_here() noexcept {
        bool failed = false;
        try {
            function_();
        } catch (...) {
            failed = true;
            const std::scoped_lock guard{mutex_};
            if (!first_) {
                first_ = std::current_exception();
            }
        }
        // Release: first_ and all that the function did; only counts for the others.
        ended_.fetch_add(1, std::memory_order_release);
        if (failed) {
            await_others();
        }
    }

    // Those that need this rank no more come to their end. If others do not, they wait for this one, and
    // nothing could ever wake them.
    void await_others() noexcept {
        const auto limit = std::chrono::steady_clock::now() + spin_policy_;
        while (ended_.load(std::memory_order_acquire) != ranks_) {
            int flag = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); // lets others run
            if (std::chrono::steady_clock::now() > limit) {
                give_up();
            }
        }
    }

    [[noreturn]] void give_up() noexcept {
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::fprintf(stderr,
                     "lisle::run: an exception has ended rank %d, and %d of the %d ranks still run after "
                     "%lld ms: they wait for it, or compute long\n",
                     rank, ranks_ - ended_.load(), ranks_, static_cast<long long>(spin_policy_.count()));
        try {
            rethrow();
        } catch (const std::exception &error) {
            std::fprintf(stderr, "lisle::run: what(): %s\n", error.what());
        } catch (...) {
        }
        std::terminate();
    }

    Function &function_;
    const int ranks_;
    const std::chrono::milliseconds spin_policy_;
    std::atomic<int> ended_{0};
    std::mutex mutex_; ///< protects first_ until all ranks have ended
    std::exception_ptr first_;
};

} // namespace detail

/// Runs `function()` on each of `ranks` ranks, between MPI_Init and MPI_Finalize, and returns when all have
/// ended. MPI_COMM_WORLD is the new job's there. The function is one object that all ranks call at once.
/// Throws the first exception that left the function, when all ranks have ended; if others wait for a rank
/// that an exception has ended, the program ends with a sentence after `options.patience`. Throws
/// std::runtime_error before any rank runs if the ranks cannot be made.
///
///     lisle::run(8, [&] { MPI_Allreduce(...); });
///     lisle::run(10000, [] { MPI_Barrier(MPI_COMM_WORLD); }, {.kind = lisle::rank_kind::fiber});
template <std::invocable Function> void run(int ranks, Function &&function, run_options options = {}) {
    using common = detail::common_run<std::remove_reference_t<Function>>;
    common shared{function, ranks, options.patience};
    int status = 0;
    if (MPIX_Run(ranks, static_cast<int>(options.kind), options.workers, &common::run_rank, &shared,
                 &status) != MPI_SUCCESS) {
        throw std::runtime_error{"lisle::run: the ranks could not be made"};
    }
    shared.rethrow();
}

} // namespace lisle
