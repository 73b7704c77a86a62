// SPDX-License-Identifier: Apache-2.0
// What Lisle's own launcher makes before it starts a job's processes.
#pragma once

#include <optional>

#include "world/job_table.hpp"

namespace lisle {

/// Makes the table of a job and behind it, in the same file, the shared memory of its node.
/// Throws mpi_error (MPI_ERR_NO_MEM) with need and limit if there is no room.
/// @param part as for job_table::create
[[nodiscard]] job_table create_job(const job_shape &shape,
                                   const std::optional<part_of_job> &part = std::nullopt);

} // namespace lisle
