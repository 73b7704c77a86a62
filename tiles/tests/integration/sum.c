/* SPDX-License-Identifier: Apache-2.0
 * Adds up a KiB over all ranks, after each rank has computed for as long as the argument says, in cycles. */
#include <mpi.h>
#include <mpix.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    enum { words = 256 };
    int rank, size, mine[words], sum[words], wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPIX_TILE_COST(argc > 1 ? atoi(argv[1]) : 0) {
        for (int i = 0; i < words; ++i) {
            mine[i] = rank + i;
        }
    }
    MPI_Allreduce(mine, sum, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < words; ++i) {
        wrong += sum[i] != size * (size - 1) / 2 + i * size;
    }
    if (rank == 0) {
        printf("%d ranks: %d sums are wrong\n", size, wrong);
    }
    MPI_Finalize();
    return wrong != 0;
}
