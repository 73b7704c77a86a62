// SPDX-License-Identifier: Apache-2.0
// Communicators of threads: data/extensions.json says what the calls mean.
#pragma once

#include "communicator/communicator.hpp"

namespace lisle::api {

void threadcomm_init(communicator &comm, int num_threads, MPI_Comm *newthreadcomm);
void threadcomm_start(MPI_Comm threadcomm);
void threadcomm_finish(MPI_Comm threadcomm);
void threadcomm_free(MPI_Comm *threadcomm);

} // namespace lisle::api
