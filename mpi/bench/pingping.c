/* SPDX-License-Identifier: Apache-2.0
 * Ping-ping: both ranks send at once and then receive, two exchanges in a row before the clock is read. The
 * time of one exchange. */
#include "bench.h"

enum { most_batches = 31 };

static double batch(int rank, char *out, char *in, int size, int count) {
    const int peer = 1 - rank;
    MPI_Request sending;
    double spent = 0;
    for (int i = 0; i < count; ++i) {
        /* The answer to the start: both begin within one message's time of each other. */
        char go = 0;
        MPI_Sendrecv_replace(&go, 1, MPI_CHAR, peer, 1, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double start = MPI_Wtime();
        for (int iteration = 0; iteration < 2; ++iteration) {
            MPI_Isend(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &sending);
            MPI_Recv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&sending, MPI_STATUS_IGNORE);
        }
        spent += MPI_Wtime() - start;
    }
    return spent / count / 2;
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 4096, 65536, 1048576};
    const int largest = 1048576;
    const int rank = bench_begin(&argc, &argv, 2);
    char *out = calloc((size_t)largest, 1), *in = calloc((size_t)largest, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s] <= 4096 ? 500 : sizes[s] <= 65536 ? 100 : 10;
        double times[most_batches];
        batch(rank, out, in, sizes[s], count);
        for (int i = 0; i < most_batches; ++i)
            times[i] = batch(rank, out, in, sizes[s], count);
        if (rank == 0)
            bench_result("pingping", sizes[s], bench_median(times, most_batches));
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
