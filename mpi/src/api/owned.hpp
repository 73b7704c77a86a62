// SPDX-License-Identifier: Apache-2.0
// Buffers that change owner with a message: data/extensions.json says what the calls mean.
#pragma once

#include "communicator/communicator.hpp"

namespace lisle::api {

void send_owned(void *buffer, MPI_Count bytes, MPIX_Free_function *release, void *extra_state, int dest,
                int tag, communicator &comm);
void recv_owned(void *buffer, MPI_Count *bytes, MPIX_Free_function **release, void *extra_state, int source,
                int tag, communicator &comm, MPI_Status *status);
void tryrecv_owned(void *buffer, MPI_Count *bytes, MPIX_Free_function **release, void *extra_state,
                   int source, int tag, communicator &comm, int *flag, MPI_Status *status);

} // namespace lisle::api
