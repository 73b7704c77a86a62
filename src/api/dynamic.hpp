// SPDX-License-Identifier: Apache-2.0
// The calls of MPI about processes that join a job later [MPI-5.0 11.7 to 11.10], as far as they have an
// answer without such processes.
#pragma once

#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void comm_get_parent(MPI_Comm *parent);
/// Nobody can publish a name, so none is found, and none can be withdrawn.
void lookup_name(const char *service_name, info *hints, char *port_name);
void unpublish_name(const char *service_name, info *hints, const char *port_name);
void close_port(const char *port_name);

} // namespace lisle::api
