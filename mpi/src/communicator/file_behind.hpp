// SPDX-License-Identifier: Apache-2.0
// The open file whose own communicator this is: the error handlers of such a communicator get the file.
#pragma once

#include "communicator/communicator_local.hpp"
#include "mpi.h"

namespace lisle {

inline const communicator_local<MPI_File> file_behind;

} // namespace lisle
