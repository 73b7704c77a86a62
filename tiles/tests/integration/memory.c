/* SPDX-License-Identifier: Apache-2.0
 * Ranks share so many kilobytes of doubles and go over their parts three times, with two cycles for each:
 * what the slowest takes. The third time they write. Usage: memory KILOBYTES */
#include <mpi.h>
#include <mpix.h>
#include <stdio.h>
#include <stdlib.h>

static long pass_over(double *part, size_t bytes, int writes) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    MPIX_Tile_access(part, (MPI_Count)bytes, writes);
    MPIX_Tile_compute(2 * (MPI_Count)(bytes / sizeof *part));
    double mine = MPI_Wtime() - begun, longest = 0;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return (long)(longest * 1e9 + .5);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 16) * 1024 / (size_t)ranks;
    double *const part = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    const long first = pass_over(part, bytes, 0);
    const long second = pass_over(part, bytes, 0);
    const long writing = pass_over(part, bytes, 1);
    if (rank == 0) {
        printf("first pass %ld ns, second pass %ld ns, writing pass %ld ns\n", first, second, writing);
    }
    free(part);
    MPI_Finalize();
    return 0;
}
