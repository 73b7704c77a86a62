// SPDX-License-Identifier: Apache-2.0
// Parcels as messages of MPI, sent and received by the rank's own thread. Works on any communicator, whatever
// its ranks are.
#pragma once

#include <mpi.h>

#include <memory>

#include "lisle/task/transport.hpp"

namespace lisle::tasks {

/// Uses a duplicate of the communicator. Collective. If the rank has more tiles than one, they wake its
/// thread by a message where MPI_THREAD_MULTIPLE is granted, and it looks for them now and then where it is
/// not.
std::unique_ptr<transport> make_mpi_transport(MPI_Comm comm = MPI_COMM_WORLD);

} // namespace lisle::tasks
