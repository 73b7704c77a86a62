/* SPDX-License-Identifier: Apache-2.0
 * A tool of the profiling interface: counts, by rank, and says so at the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, barriers, nested;

int MPI_Init(int *argc, char ***argv) {
    const int error = PMPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return error;
}

int MPI_Barrier(MPI_Comm comm) {
    ++barriers;
    return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    ++nested;
    return PMPI_Allreduce(from, into, count, type, op, comm);
}

int MPI_Finalize(void) {
    printf("tool: rank %d, %d barriers, %d reductions, preloaded %d\n", rank, barriers, nested,
           getenv("LD_PRELOAD") != NULL);
    return PMPI_Finalize();
}
