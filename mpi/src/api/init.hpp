// SPDX-License-Identifier: Apache-2.0
// Beginning and end of the world model [MPI-5.0 11.2 to 11.6]. All but init and finalize may be called at
// any time.
#pragma once

#include "communicator/communicator.hpp"
#include "mpi.h"

namespace lisle::api {

void init(int *argc, char ***argv);
void init_thread(int *argc, char ***argv, int required, int *provided);
void initialized(int *flag);
void finalize();
void finalized(int *flag);
void query_thread(int *provided);
void is_thread_main(int *flag);
void abort(communicator &comm, int errorcode);

} // namespace lisle::api
