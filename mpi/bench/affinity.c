/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong of 8 bytes between two ranks that share one core: how soon a rank that waits gives it to the
 * other.
 */
#include "bench.h"

enum { batches = 5, most = 2000 };

int main(int argc, char **argv) {
    const int rank = bench_start(&argc, &argv, 2);
    char out[8] = {0}, in[8];
    double times[batches];
    bench_pin(0, 1);
    bench_round_trips(rank, out, in, sizeof out, 10);
    /* Some peers take milliseconds for each message: then a few must do. */
    int count = bench_round_trips(rank, out, in, sizeof out, 10) < 1e-4 ? most : 20;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < batches; ++i)
        times[i] = bench_round_trips(rank, out, in, sizeof out, count);
    if (rank == 0)
        bench_result("one_core", 8, bench_median(times, batches));
    MPI_Finalize();
    return 0;
}
