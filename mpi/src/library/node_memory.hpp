// SPDX-License-Identifier: Apache-2.0
// How the processes of one node come to share memory where no launcher of Lisle's has made it for them: the
// first of them makes it, and the others open it through /proc.
#pragma once

#include "fabric/local/node_segment.hpp"
#include "world/bootstrap.hpp"

namespace lisle {

/// The shared memory of the calling process's node. All processes of the job call it once; it takes one
/// fence. The caller calls the next fence before it lets go of the memory, since others may be opening it
/// until then. Throws mpi_error (MPI_ERR_OTHER) with the way out if the system forbids to open another
/// process's memory.
[[nodiscard]] fabric::local::node_segment meet_on_node(bootstrap &start);

} // namespace lisle
