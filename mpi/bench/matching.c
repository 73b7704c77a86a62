/* SPDX-License-Identifier: Apache-2.0
 * The cost of matching: rank 1 posts many receives with tags of their own, rank 0 sends in the order in which
 * they were posted, or in reverse. From the difference follows what one failed match costs where receives are
 * searched in turn. Times of a whole round, until all have arrived. */
#include "bench.h"

enum { most = 4000, rounds = 9 };

static double one_round(int rank, int count, int reverse) {
    static MPI_Request requests[most];
    static long data[most];
    char ready = 0;
    double start = 0;
    if (rank == 1) {
        for (int i = 0; i < count; ++i)
            MPI_Irecv(&data[i], 8, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(&ready, 1, MPI_CHAR, 0, most, MPI_COMM_WORLD);
        start = MPI_Wtime();
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        const double spent = MPI_Wtime() - start;
        MPI_Send(&spent, 1, MPI_DOUBLE, 0, most + 1, MPI_COMM_WORLD);
        return spent;
    }
    MPI_Recv(&ready, 1, MPI_CHAR, 1, most, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i)
        MPI_Send(&data[i], 8, MPI_BYTE, 1, reverse ? count - 1 - i : i, MPI_COMM_WORLD);
    double spent;
    MPI_Recv(&spent, 1, MPI_DOUBLE, 1, most + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return spent;
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    double forward[rounds], backward[rounds];
    one_round(rank, most, 0);
    one_round(rank, most, 1);
    for (int i = 0; i < rounds; ++i) {
        forward[i] = one_round(rank, most, 0);
        backward[i] = one_round(rank, most, 1);
    }
    if (rank == 0) {
        const double ordered = bench_median(forward, rounds), reversed = bench_median(backward, rounds);
        bench_result("in_order", most, ordered);
        bench_result("reverse_order", most, reversed);
        bench_result("reverse_to_in_order", most, reversed / ordered);
        /* In reverse, the message for the i-th receive passes over all that were posted before it. */
        const double failed = (reversed - ordered) / ((double)most * (most - 1) / 2);
        bench_result("failed_match", most, failed > 0 ? failed : 0);
    }
    MPI_Finalize();
    return 0;
}
