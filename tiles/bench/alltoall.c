/* SPDX-License-Identifier: Apache-2.0
 * Five alltoalls. Usage: alltoall [bytes for each pair of ranks] [times] */
#include "kernel.h"

#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks, right = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int bytes = argc > 1 ? atoi(argv[1]) : 1024;
    const int rounds = argc > 2 ? atoi(argv[2]) : 5;
    const size_t all = (size_t)bytes * (size_t)ranks;
    unsigned char *const out = malloc(all), *const in = malloc(all);
    for (int i = 0; i < ranks; ++i) {
        memset(out + (size_t)i * (size_t)bytes, (rank * 7 + i) & 0xff, (size_t)bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    for (int round = 0; round < rounds; ++round) {
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    for (int i = 0; i < ranks; ++i) {
        right = right && in[(size_t)i * (size_t)bytes] == ((i * 7 + rank) & 0xff);
    }
    report("alltoall", begun, right);
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
