/* SPDX-License-Identifier: Apache-2.0
 * EP: pairs of random numbers within a circle, counted by their rings; all communication is one reduction.
 * Usage: ep [pairs of all ranks] */
#include "kernel.h"

#include <math.h>

int main(int argc, char **argv) {
    enum { rings = 10 };
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long pairs = argc > 1 ? atol(argv[1]) : 1 << 20;
    double mine[rings + 1] = {0}, all[rings + 1];
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    for (long i = rank; i < pairs; i += ranks) {
        const double x = 2 * random_of(2 * (unsigned long)i) - 1,
                     y = 2 * random_of(2 * (unsigned long)i + 1) - 1;
        const double square = x * x + y * y;
        if (square < 1) {
            ++mine[(int)(rings * sqrt(square))];
            ++mine[rings];
        }
    }
    compute(50.0 * (double)(pairs / ranks));
    MPI_Allreduce(mine, all, rings + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    report("ep", begun, fabs(4 * all[rings] / (double)pairs - 3.14159) < 10 / sqrt((double)pairs));
    MPI_Finalize();
    return 0;
}
