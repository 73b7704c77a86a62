// SPDX-License-Identifier: Apache-2.0
// The embedded door: a job of threads or fibers inside a running program, with no launcher. Knows nothing of
// MPI's calls; what the ranks do is the caller's business.
#pragma once

namespace lisle {

/// What each rank runs; its result is the rank's status.
struct rank_body {
    int (*run)(void *context);
    void *context;
};

/// Runs the body on so many ranks and returns when all have ended: the first result that was not 0, or 0.
/// @param workers threads for the ranks if they are fibers; 0: the ranks are threads
/// Throws mpi_error (MPI_ERR_NO_MEM) before any rank runs if there is no room for them. A rank that ends
/// between MPI_Init and MPI_Finalize ends the program with a sentence: others would wait for it for ever.
int run_embedded(int ranks, int workers, const rank_body &body);

} // namespace lisle
