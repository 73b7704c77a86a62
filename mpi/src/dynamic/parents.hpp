// SPDX-License-Identifier: Apache-2.0
// What a job that has been spawned does at its beginning: its ranks meet those that have spawned it.
#pragma once

namespace lisle::dynamic {

/// Part of MPI_Init, collective over MPI_COMM_WORLD. Does nothing in a job that nobody has spawned.
/// Throws mpi_error if the parents are gone.
void meet_parents();

} // namespace lisle::dynamic
