// SPDX-License-Identifier: Apache-2.0
// Inquiry about the binary interface [MPI-5.0 20.4]: what C programs may rely on, and what a Fortran
// layer on top of the library has told about its Fortran.
#pragma once

#include "mpi.h"

namespace lisle {
class info;
}

namespace lisle::api {

void abi_get_version(int *abi_major, int *abi_minor);
void abi_get_info(MPI_Info *info);

/// The calling rank's Fortran layer tells its facts once; later calls throw MPI_ERR_ABI.
void abi_set_fortran_info(info *info);
/// MPI_INFO_NULL if nobody told.
void abi_get_fortran_info(MPI_Info *info);
void abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false);
void abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set);

} // namespace lisle::api
