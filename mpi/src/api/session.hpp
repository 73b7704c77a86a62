// SPDX-License-Identifier: Apache-2.0
// The sessions model [MPI-5.0 11.3].
#pragma once

#include "communicator/info.hpp"
#include "communicator/session.hpp"
#include "mpi.h"

namespace lisle::api {

void session_init(info *hints, errhandler &errors, MPI_Session *opened);
void session_finalize(MPI_Session *closed);
void session_get_info(session &session, MPI_Info *info_used);
void session_get_num_psets(session &session, info *hints, int *npset_names);
void session_get_nth_pset(session &session, info *hints, int n, int *pset_len, char *pset_name);
void session_get_pset_info(session &session, const char *pset_name, MPI_Info *facts);

} // namespace lisle::api
