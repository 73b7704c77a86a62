/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong of 8 bytes between two ranks that share one core: how soon a rank that waits gives it to the
 * other.
 */
#include "bench.h"

enum { batches = 5, most = 2000 };

/* So many round trips; the one-way time of a message. */
static double batch(int rank, int count) {
    char data[8] = {0};
    const double start = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
        if (rank == 0)
            MPI_Send(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(data, sizeof data, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / count / 2;
}

int main(int argc, char **argv) {
    const int rank = bench_start(&argc, &argv, 2);
    double times[batches];
    bench_pin(0, 1);
    batch(rank, 10);
    /* Some peers take milliseconds for each message: then a few must do. */
    int count = batch(rank, 10) < 1e-4 ? most : 20;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < batches; ++i)
        times[i] = batch(rank, count);
    if (rank == 0)
        bench_result("one_core", 8, bench_median(times, batches));
    MPI_Finalize();
    return 0;
}
