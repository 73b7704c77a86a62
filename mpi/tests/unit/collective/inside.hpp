// SPDX-License-Identifier: Apache-2.0
// Runs a function on several ranks of a job inside the test, as threads or fibers, each with a communicator
// of them all; and what makes their schedules differ from run to run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

#include "api/embedded.hpp"
#include "base/ref.hpp"
#include "communicator/communicator.hpp"
#include "communicator/context.hpp"
#include "execution/rank.hpp"
#include "world/group.hpp"

namespace lisle::collective {

/// @param workers threads for the ranks if they are fibers; 0: the ranks are threads
template <class Function> void on_ranks(int ranks, int workers, Function function) {
    struct job_body {
        Function &function;
        group_ref members;
        static int run(void *context) {
            auto &body = *static_cast<job_body *>(context);
            auto *const comm = new communicator{world_context, *body.members, nullptr, this_rank().number()};
            body.function(*comm);
            comm->release();
            return 0;
        }
    };
    job_body body{function, group_ref::adopt(new group(0, ranks, 1))};
    int status = 0;
    api::run(ranks, workers == 0 ? MPIX_RANKS_THREADS : MPIX_RANKS_FIBERS, workers, &job_body::run, &body,
             &status);
}

/// One sequence of random numbers that all ranks have alike, and one of each rank's own.
class dice {
  public:
    dice(unsigned seed, int rank) : common_{seed}, own_{seed * 1000003U + static_cast<unsigned>(rank)} {}

    /// A number below `limit`, the same at all ranks that have asked as often.
    [[nodiscard]] unsigned common(unsigned limit) { return static_cast<unsigned>(common_() % limit); }
    /// Mostly nothing; now and then the rank falls behind by a little, and sometimes it stops for longer than
    /// the others go on without it.
    void pause() {
        const auto now = own_() % 64;
        if (now == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds{own_() % 400});
        } else if (now < 8) {
            std::this_thread::yield();
        }
    }

  private:
    std::minstd_rand common_, own_;
};

} // namespace lisle::collective
