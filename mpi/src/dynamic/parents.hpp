// SPDX-License-Identifier: Apache-2.0
// The start of a spawned job: its ranks connect to the group that has spawned it.
#pragma once

namespace lisle::dynamic {

/// Part of MPI_Init, collective over MPI_COMM_WORLD. Does nothing in a job that has not been spawned. Throws
/// mpi_error if the parents are gone.
void meet_parents();

} // namespace lisle::dynamic
