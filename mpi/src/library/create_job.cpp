// SPDX-License-Identifier: Apache-2.0
#include "library/create_job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>

#include "base/error.hpp"
#include "fabric/local/node_segment.hpp"
#include "mpi.h"

namespace lisle {

job_table create_job(const job_shape &shape, const std::optional<part_of_job> &part) {
    auto table = job_table::create(shape, part);
    if (std::ranges::any_of(shape.node_of_process, [](int node) { return node != 0; })) {
        return table; // the processes of each node make their memory themselves (node_memory.hpp)
    }
    const int file = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (file < 0) {
        fail(MPI_ERR_NO_MEM, "cannot create shared memory for the job: ", std::strerror(errno));
    }
    // What the segment has written stays in the file.
    static_cast<void>(fabric::local::node_segment::create(file, table.end(), shape));
    return table;
}

} // namespace lisle
