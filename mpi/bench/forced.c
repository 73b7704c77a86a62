/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong with the protocol forced: synchronous sends must hear of their match (rendezvous), ready sends
 * find their receive posted (eager, where an MPI makes use of that). One-way times. */
#include "bench.h"

enum { most_batches = 21 };

static double synchronous(int rank, char *out, char *in, int size, int count) {
    const int peer = 1 - rank;
    const double start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
        if (rank == 0) {
            MPI_Ssend(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        }
    return (MPI_Wtime() - start) / count / 2;
}

static double ready(int rank, char *out, char *in, int size, int count) {
    const int peer = 1 - rank;
    MPI_Request next;
    MPI_Irecv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &next);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (rank == 0)
        MPI_Rsend(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) {
        MPI_Wait(&next, MPI_STATUS_IGNORE);
        /* The next receive is posted before the message that its sender will answer. */
        if (i + 1 < count)
            MPI_Irecv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &next);
        if (rank == 1 || i + 1 < count)
            MPI_Rsend(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / count / 2;
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 4096, 65536};
    const int rank = bench_begin(&argc, &argv, 2);
    char *out = calloc(65536, 1), *in = calloc(65536, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int count = sizes[s] <= 4096 ? 1000 : 200;
        double waited[most_batches], unasked[most_batches];
        synchronous(rank, out, in, sizes[s], count);
        for (int i = 0; i < most_batches; ++i) {
            waited[i] = synchronous(rank, out, in, sizes[s], count);
            unasked[i] = ready(rank, out, in, sizes[s], count);
        }
        if (rank == 0) {
            bench_result("rendezvous", sizes[s], bench_median(waited, most_batches));
            bench_result("ready", sizes[s], bench_median(unasked, most_batches));
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
