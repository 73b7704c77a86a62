// SPDX-License-Identifier: Apache-2.0
#include "library/create_job.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>

#include "base/error.hpp"
#include "fabric/local/node_segment.hpp"
#include "mpi.h"

namespace lisle {

job_table create_job(const job_shape &shape) {
    auto table = job_table::create(shape);
    const int file = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (file < 0) {
        fail(MPI_ERR_NO_MEM, "cannot create shared memory for the job: ", std::strerror(errno));
    }
    // All processes of such a job are on this node. What the segment has written stays in the file.
    static_cast<void>(fabric::local::node_segment::create(file, table.end(), shape));
    return table;
}

} // namespace lisle
