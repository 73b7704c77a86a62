// SPDX-License-Identifier: Apache-2.0
#include "api/embedded.hpp"

#include "protocol/engine.hpp"
#include "library/embedded_job.hpp"
#include "base/error.hpp"
#include "world/job.hpp"
#include "execution/shared_task.hpp"

namespace lisle::api {

void run(int ranks, int kind, int workers, MPIX_Rank_function *function, void *context, int *status) {
    constexpr int most_ranks = 1 << 20;
    if (ranks < 1 || ranks > most_ranks) {
        fail(MPI_ERR_ARG, "ranks is ", ranks, "; a job has 1 to ", most_ranks, " ranks");
    }
    if (kind != MPIX_RANKS_THREADS && kind != MPIX_RANKS_FIBERS) {
        fail(MPI_ERR_ARG, "kind is ", kind, "; it is MPIX_RANKS_THREADS or MPIX_RANKS_FIBERS");
    }
    const int threads = kind == MPIX_RANKS_THREADS ? 0 : workers != 0 ? workers : usable_cores();
    *status = run_embedded(ranks, threads, {.run = function, .context = context});
}

void parallel(MPI_Count chunks, MPIX_Chunk_function *function, void *context) {
    share_task(this_rank().get_job(), any_helper, chunks, function, context, [] {
        protocol::engine &mine = this_rank().engine();
        if (!mine.progress()) {
            mine.found_nothing();
        }
    });
}

} // namespace lisle::api
