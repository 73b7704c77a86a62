/* SPDX-License-Identifier: Apache-2.0
 * Skewed load: in each step rank 0 has three times as much to do as each of the others, then all meet in a
 * barrier. Once every rank does its own work, once as a parallel task (MPIX_Parallel) that waiting ranks help
 * with. Time for each step; Lisle alone has the call. */
#include "bench.h"

enum { chunk = 20000, chunks_of_rank = 50, steps = 5, rounds = 7 };

static volatile double sums[1 << 16]; /* volatile: so that the work is really done */

static void work(void *context, MPI_Count which) {
    double sum = *(double *)context;
    for (int i = 0; i < chunk; ++i)
        sum = sum * 0.999 + (double)which;
    sums[which % (1 << 16)] = sum;
}

static double step(int rank, int ranks, int shared) {
    double seed = rank;
    const int chunks = rank == 0 ? 3 * chunks_of_rank : chunks_of_rank;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < steps; ++i) {
        if (shared)
            MPIX_Parallel(chunks, work, &seed);
        else
            for (int c = 0; c < chunks; ++c)
                work(&seed, c);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / steps;
}

int main(int argc, char **argv) {
    int rank, ranks;
    double alone[rounds], helped[rounds];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; ++i) {
        alone[i] = step(rank, ranks, 0);
        helped[i] = step(rank, ranks, 1);
    }
    if (rank == 0) {
        bench_result("skew_alone", ranks, bench_median(alone, rounds));
        bench_result("skew_helped", ranks, bench_median(helped, rounds));
    }
    MPI_Finalize();
    return 0;
}
