/* SPDX-License-Identifier: Apache-2.0
 * Message rate with several threads in each of two ranks (MPI_THREAD_MULTIPLE): each thread of rank 0 sends
 * windows of 64 messages of 8 bytes to its counterpart in rank 1, with a tag of its own. Not pinned but to
 * the rank's core. */
#include "bench.h"
#include <pthread.h>

enum { most_threads = 4, window = 64, windows = 100, batches = 7 };

static int rank;

static void *talk(void *argument) {
    const int tag = *(const int *)argument;
    long data[window] = {0};
    MPI_Request requests[window];
    char answer = 0;
    for (int w = 0; w < windows; ++w) {
        for (int i = 0; i < window; ++i)
            if (rank == 0)
                MPI_Isend(&data[i], 8, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(&data[i], 8, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&answer, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 1, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    }
    return NULL;
}

static double batch(int threads) {
    pthread_t started[most_threads];
    int tags[most_threads];
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < threads; ++i) {
        tags[i] = i;
        pthread_create(&started[i], NULL, talk, &tags[i]);
    }
    for (int i = 0; i < threads; ++i)
        pthread_join(started[i], NULL);
    return (double)threads * window * windows / (MPI_Wtime() - start);
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
    for (int threads = 1; threads <= most_threads; threads *= 2) {
        double rates[batches];
        batch(threads);
        for (int i = 0; i < batches; ++i)
            rates[i] = batch(threads);
        if (rank == 0)
            bench_result("threads", threads, bench_median(rates, batches));
    }
    MPI_Finalize();
    return 0;
}
