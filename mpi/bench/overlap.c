/* SPDX-License-Identifier: Apache-2.0
 * How much of an exchange hides behind a computation: both ranks start to send and to receive SIZE bytes,
 * compute for as long as the exchange takes alone, without a call of MPI, and wait. Printed are the seconds
 * of each, and the overlap: 1 if the exchange costs nothing beside the computation, 0 if both took turns.
 *     overlap [SIZE] */
#include "bench.h"

enum { batches = 3 };

static char *out, *in;
static int size = 64 << 20;

/* So many steps that nothing can be left out of. */
static double compute(long steps) {
    double value = 1;
    for (long step = 0; step < steps; ++step)
        value = value * 1.0000001 + 1e-9;
    return value;
}

static double together(int rank, long steps) {
    static volatile double kept;
    MPI_Request requests[2];
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (size != 0) {
        MPI_Irecv(in, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    }
    kept = compute(steps);
    if (size != 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - start;
}

static double measured(int rank, long steps, int bytes) {
    const int before = size;
    double times[batches];
    size = bytes;
    for (int i = 0; i < batches; ++i)
        times[i] = together(rank, steps);
    size = before;
    return bench_median(times, batches);
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    if (argc > 1)
        size = atoi(argv[1]);
    out = malloc((size_t)size);
    in = malloc((size_t)size);
    memset(out, rank, (size_t)size);
    memset(in, 0, (size_t)size);
    together(rank, 0);
    const double exchange = measured(rank, 0, size);
    const long some = 10000000;
    long steps = (long)(exchange / measured(rank, some, 0) * (double)some);
    MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    const double computation = measured(rank, steps, 0);
    const double both = measured(rank, steps, size);
    if (rank == 0) {
        const double shorter = exchange < computation ? exchange : computation;
        bench_result("exchange", size, exchange);
        bench_result("computation", size, computation);
        bench_result("together", size, both);
        bench_result("overlap", size, (exchange + computation - both) / shorter);
    }
    MPI_Finalize();
    return 0;
}
