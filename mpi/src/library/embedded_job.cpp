// SPDX-License-Identifier: Apache-2.0
// The embedded door: a job of threads or fibers inside a running program, with no launcher.
#include "api/embedded.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "execution/fiber_worker.hpp"
#include "execution/usable_cores.hpp"
#include "library/process.hpp"
#include "mpi.h"

namespace lisle {

namespace {

constexpr int most_ranks = 1 << 20;

/// What each rank runs; its result is the rank's status.
struct rank_body {
    int (*run)(void *context);
    void *context;
};

/// One run: the job, and where its threads meet.
class embedded_run {
  public:
    embedded_run(int ranks, int workers, const rank_body &body)
        : process_{process::make_inside({.ranks_of_process = {ranks}, .workers_of_process = {workers}})},
          job_{process_->get_job()}, body_{body} {
        if (workers != 0) {
            stacks_.emplace(static_cast<std::size_t>(ranks), fiber_stacks::promised_bytes());
        }
        for (int index = 0; index < ranks; ++index) {
            ranks_.push_back(&process_->enter(index));
        }
    }

    int operator()() {
        const int count = stacks_ ? job_.workers() : job_.size();
        std::vector<std::thread> threads;
        try {
            for (int number = 0; number < count; ++number) {
                threads.emplace_back([this, number] { run_thread(number); });
            }
        } catch (const std::system_error &error) {
            open(false);
            join(threads);
            end_ranks();
            fail(MPI_ERR_NO_MEM, "starting thread ", threads.size() + 1, " of ", count,
                 " failed: ", error.what(), "; raise the limit of threads (ulimit -u) or use fibers");
        }
        open(true);
        join(threads);
        end_ranks();
        return status_.load(std::memory_order_relaxed);
    }

  private:
    enum class gate : int { closed, open, given_up };

    // Ranks begin when all threads are there, so that "no more threads" is an error and not half a job.
    // Release, acquire: the ranks see all of the job.
    void open(bool go) {
        gate_.store(go ? gate::open : gate::given_up, std::memory_order_release);
        gate_.notify_all();
    }

    void run_thread(int number) {
        gate_.wait(gate::closed, std::memory_order_acquire);
        if (gate_.load(std::memory_order_acquire) == gate::given_up) {
            return;
        }
        if (!stacks_) {
            run_rank(number);
            return;
        }
        const auto run = [](void *self, int index) { static_cast<embedded_run *>(self)->run_rank(index); };
        fiber_worker worker{job_.bells_of_worker(number),
                            job_.places().worker_begin(0, number),
                            *stacks_,
                            {.run = run,
                             .argument = this,
                             .place_of_extra = nullptr,
                             .clock = &job_.clock(),
                             .waits = &job_.waits()}};
        worker.run();
    }

    void run_rank(int index) {
        rank &self = *ranks_[static_cast<std::size_t>(index)];
        rank *const former = become(&self);
        const int result = body_.run(body_.context);
        if (self.phase.load(std::memory_order_relaxed) == world_phase::initialized) {
            std::fprintf(stderr, "lisle: rank %d of MPIX_Run has ended without calling MPI_Finalize\n",
                         index);
            abort_job(result != 0 ? result : EXIT_FAILURE);
        }
        job_.waits().leave(index);
        int none = 0;
        status_.compare_exchange_strong(none, result, std::memory_order_relaxed);
        become(former);
    }

    static void join(std::vector<std::thread> &threads) {
        for (std::thread &thread : threads) {
            thread.join();
        }
    }

    // Only when all have ended: a rank may still speak to one that has.
    void end_ranks() {
        for (rank *ended : ranks_) {
            job_.leave(*ended);
        }
    }

    std::unique_ptr<process> process_;
    job &job_;
    const rank_body body_;
    std::optional<fiber_stacks> stacks_;
    std::vector<rank *> ranks_;
    std::atomic<gate> gate_{gate::closed};
    std::atomic<int> status_{0}; // relaxed: read when the threads have been joined
};

} // namespace

namespace api {

// Declared among the entry points (api/embedded.hpp) and defined here, because it puts a job together.
void run(int ranks, int kind, int workers, MPIX_Rank_function *function, void *context, int *status) {
    if (ranks < 1 || ranks > most_ranks) {
        fail(MPI_ERR_ARG, "ranks is ", ranks, "; a job has 1 to ", most_ranks, " ranks");
    }
    if (kind != MPIX_RANKS_THREADS && kind != MPIX_RANKS_FIBERS) {
        fail(MPI_ERR_ARG, "kind is ", kind, "; it is MPIX_RANKS_THREADS or MPIX_RANKS_FIBERS");
    }
    const int threads = kind == MPIX_RANKS_THREADS ? 0 : workers != 0 ? workers : usable_cores();
    *status = embedded_run{ranks, std::min(threads, ranks), {.run = function, .context = context}}();
}

} // namespace api

} // namespace lisle
