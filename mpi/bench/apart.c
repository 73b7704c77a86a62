/* SPDX-License-Identifier: Apache-2.0
 * Do threads of one rank that have nothing to do with each other stay out of each other's way? Each of one,
 * two or eight threads, on two cores, sends windows of 64 messages of 8 bytes to its own rank and receives
 * them (MPI_THREAD_MULTIPLE): all on one communicator, or each on one of its own. */
#include "bench.h"
#include <pthread.h>

enum { most_threads = 8, cores = 2, window = 64, windows = 400, batches = 9 };

struct part {
    int number;
    MPI_Comm comm;
};

static void *talk(void *argument) {
    const struct part *const mine = argument;
    bench_pin(mine->number % cores, cores);
    long out[window] = {0}, in[window];
    MPI_Request requests[2 * window];
    MPI_Status statuses[2 * window];
    for (int w = 0; w < windows; ++w) {
        for (int i = 0; i < window; ++i)
            MPI_Irecv(&in[i], 8, MPI_BYTE, 0, mine->number, mine->comm, &requests[i]);
        for (int i = 0; i < window; ++i)
            MPI_Isend(&out[i], 8, MPI_BYTE, 0, mine->number, mine->comm, &requests[window + i]);
        MPI_Waitall(2 * window, requests, statuses);
    }
    return NULL;
}

static double batch(int threads, const MPI_Comm *comms) {
    pthread_t started[most_threads];
    struct part parts[most_threads];
    const double start = MPI_Wtime();
    for (int i = 0; i < threads; ++i) {
        parts[i].number = i;
        parts[i].comm = comms[i];
        pthread_create(&started[i], NULL, talk, &parts[i]);
    }
    for (int i = 0; i < threads; ++i)
        pthread_join(started[i], NULL);
    return (double)threads * window * windows / (MPI_Wtime() - start);
}

static void measure(const char *name, const MPI_Comm *comms) {
    static const int counts[] = {1, 2, most_threads};
    for (size_t at = 0; at < sizeof counts / sizeof *counts; ++at) {
        const int threads = counts[at];
        double rates[batches];
        batch(threads, comms);
        for (int i = 0; i < batches; ++i)
            rates[i] = batch(threads, comms);
        bench_result(name, threads, bench_median(rates, batches));
    }
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "apart: this MPI does not grant MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm one[most_threads], own[most_threads];
    for (int i = 0; i < most_threads; ++i) {
        one[i] = MPI_COMM_SELF;
        MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
    }
    measure("together", one);
    measure("apart", own);
    for (int i = 0; i < most_threads; ++i)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
