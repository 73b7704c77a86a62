/* SPDX-License-Identifier: Apache-2.0
 * Message rate with several threads in each of two ranks (MPI_THREAD_MULTIPLE): each thread of rank 0 sends
 * windows of 64 messages of 8 bytes to its counterpart in rank 1, with a tag of its own; all on one
 * communicator, or each on one of its own. Not pinned but to the rank's core. */
#include "bench.h"
#include <pthread.h>

enum { most_threads = 4, window = 64, windows = 100, batches = 7 };

static int rank;

struct pair {
    int tag;
    MPI_Comm comm;
};

static void *talk(void *argument) {
    const struct pair *const mine = argument;
    const int tag = mine->tag;
    MPI_Comm comm = mine->comm;
    long data[window] = {0};
    MPI_Request requests[window];
    char answer = 0;
    for (int w = 0; w < windows; ++w) {
        for (int i = 0; i < window; ++i)
            if (rank == 0)
                MPI_Isend(&data[i], 8, MPI_BYTE, 1, tag, comm, &requests[i]);
            else
                MPI_Irecv(&data[i], 8, MPI_BYTE, 0, tag, comm, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&answer, 1, MPI_CHAR, 1, tag, comm, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 1, MPI_CHAR, 0, tag, comm);
    }
    return NULL;
}

static double batch(int threads, const MPI_Comm *comms) {
    pthread_t started[most_threads];
    struct pair pairs[most_threads];
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < threads; ++i) {
        pairs[i].tag = i;
        pairs[i].comm = comms[i];
        pthread_create(&started[i], NULL, talk, &pairs[i]);
    }
    for (int i = 0; i < threads; ++i)
        pthread_join(started[i], NULL);
    return (double)threads * window * windows / (MPI_Wtime() - start);
}

static void measure(const char *name, const MPI_Comm *comms) {
    for (int threads = 1; threads <= most_threads; threads *= 2) {
        double rates[batches];
        batch(threads, comms);
        for (int i = 0; i < batches; ++i)
            rates[i] = batch(threads, comms);
        if (rank == 0)
            bench_result(name, threads, bench_median(rates, batches));
    }
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided != MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "threads: this MPI does not grant MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bench_pin(rank, 2);
    MPI_Comm world[most_threads], own[most_threads];
    for (int i = 0; i < most_threads; ++i) {
        world[i] = MPI_COMM_WORLD;
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    }
    measure("threads", world);
    measure("threads_apart", own);
    for (int i = 0; i < most_threads; ++i)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
