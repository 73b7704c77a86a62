// SPDX-License-Identifier: Apache-2.0
#include "api/embedded.hpp"

#include "execution/shared_task.hpp"
#include "protocol/engine.hpp"
#include "world/job.hpp"

namespace lisle::api {

void parallel(MPI_Count chunks, MPIX_Chunk_function *function, void *context) {
    share_task(this_rank().get_job().bells(), chunks, function, context, [] {
        protocol::engine &mine = this_rank().engine();
        if (!mine.progress()) {
            mine.found_nothing();
        }
    });
}

} // namespace lisle::api
