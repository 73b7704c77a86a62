// SPDX-License-Identifier: Apache-2.0
// How the processes of one node come to share memory where no launcher of Lisle's has made it for them: the
// first of them makes it, and the others open it through /proc.
#pragma once

#include <optional>

#include "fabric/local/node_segment.hpp"
#include "world/bootstrap.hpp"
#include "world/job_table.hpp"

namespace lisle {

/// The shared memory of the calling process's node. All processes of the job call it once; it takes one
/// fence. The caller calls the next fence before it lets go of the memory, since others may be opening it
/// until then. Throws mpi_error (MPI_ERR_OTHER) with the way out if the system forbids to open another
/// process's memory.
[[nodiscard]] fabric::local::node_segment meet_on_node(bootstrap &start);

/// The same memory as Lisle's launcher sees it, on the machine of the processes. @param maker the first
/// process of the node; nothing as long as it has made none, or if it may not be opened.
[[nodiscard]] std::optional<fabric::local::node_segment> memory_made_by(const job_table &table, int maker);

} // namespace lisle
