/* SPDX-License-Identifier: Apache-2.0
 * Who moves the data while one side computes: the sender's time for a synchronous send of 16 MiB to a receive
 * that is posted, whose owner computes for 100 ms; and a bare copy of as much. */
#include "bench.h"

enum { bytes = 16 << 20, rounds = 5 };

static void compute(double seconds) {
    volatile double sink = 1;
    for (const double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        for (int i = 0; i < 1000; ++i)
            sink = sink * 1.0000001;
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    char *data = malloc(bytes), *other = malloc(bytes);
    memset(data, 1, bytes);
    memset(other, 2, bytes);
    double sends[rounds], copies[rounds];
    for (int i = 0; i < rounds; ++i) {
        MPI_Request receiving;
        if (rank == 1)
            MPI_Irecv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &receiving);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            compute(0.1);
            MPI_Wait(&receiving, MPI_STATUS_IGNORE);
        } else {
            const double start = MPI_Wtime();
            MPI_Ssend(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            sends[i] = MPI_Wtime() - start;
            const double begin = MPI_Wtime();
            memcpy(other, data, bytes);
            copies[i] = MPI_Wtime() - begin;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        bench_result("ssend_to_busy", bytes, bench_median(sends, rounds));
        bench_result("bare_copy", bytes, bench_median(copies, rounds));
    }
    free(data);
    free(other);
    MPI_Finalize();
    return 0;
}
