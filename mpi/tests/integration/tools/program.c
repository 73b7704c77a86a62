/* SPDX-License-Identifier: Apache-2.0 */
#include <mpi.h>
#include <stdio.h>

static int rank;

/* Called as often as the rank's number says. */
int counted(int number) {
    return number % 2 != 0 ? number : -number;
}

int main(int argc, char **argv) {
    int sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i != 10 * (rank + 1); ++i) {
        sum += counted(i);
    }
    for (int i = 0; i != 5; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
