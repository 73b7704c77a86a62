// SPDX-License-Identifier: Apache-2.0
// Memory for the program [MPI-5.0 9.2].
#pragma once

#include "mpi.h"

namespace lisle {
class info;
}

namespace lisle::api {

/// @param baseptr address of the pointer that gets the address
/// The info key mpi_minimum_memory_alignment is honoured.
void alloc_mem(MPI_Aint size, info *info, void *baseptr);
void free_mem(void *base);

} // namespace lisle::api
