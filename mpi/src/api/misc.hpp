// SPDX-License-Identifier: Apache-2.0
// Inquiry about the library and the node, and the profiling switch [MPI-5.0 9.1, 15.2.4].
#pragma once

#include "mpi.h"

namespace lisle::api {

void get_version(int *version, int *subversion);
void get_library_version(char *version, int *resultlen);
/// The host name as the kernel knows it: nothing is looked up in any network.
void get_processor_name(char *name, int *resultlen);
/// The sorts of hardware resources that the calling rank is confined to, with the value "true".
void get_hw_resource_info(MPI_Info *hw_info);
/// For profiling libraries to interpose; Lisle itself does nothing.
void pcontrol(int level);

} // namespace lisle::api
