/* SPDX-License-Identifier: Apache-2.0 */
#include <mpi.h>
#include <stdio.h>

static _Thread_local int own = -1;

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d\n", own - rank);
    MPI_Finalize();
    return 0;
}
