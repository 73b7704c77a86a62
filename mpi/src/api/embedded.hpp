// SPDX-License-Identifier: Apache-2.0
// Jobs inside a program, and work that waiting ranks help with: data/extensions.json says what the calls
// mean.
#pragma once

#include "mpi.h"

namespace lisle::api {

/// Defined by the composition root (library/embedded_job.cpp).
void run(int ranks, int kind, int workers, MPIX_Rank_function *function, void *context, int *status);
void parallel(MPI_Count chunks, MPIX_Chunk_function *function, void *context);

} // namespace lisle::api
