/* SPDX-License-Identifier: Apache-2.0
 * Rank 1 ends by a fault, in the program or in a library. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

void fail_in_library(int how);

static int descend(int depth) {
    volatile char frame[1000];
    frame[0] = (char)depth;
    return depth == -1 ? 0 : descend(depth + 1) + frame[0];
}

int main(int count, char **words) {
    int rank = 0;
    int size = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1) {
        if (strcmp(words[1], "overflow") == 0) {
            return descend(0);
        }
        if (strcmp(words[1], "segv") == 0) {
            volatile int *volatile nowhere = (volatile int *)16;
            *nowhere = 0;
        }
        fail_in_library(strcmp(words[1], "abort in library") == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
