/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong of 8 bytes through memory between ranks 0 and 1, alone, and while both also take a message from
 * another node every millisecond: what a slow device that is in use costs a fast one. To be run with four
 * ranks on two nodes (LISLE_NODES=2). */
#include "bench.h"

#include <unistd.h>

enum { batches = 31, rounds = 2000, data_tag = 1, slow_tag = 2, stop_tag = 3 };

static double ping_pong(int rank, MPI_Request *slow, int *news) {
    char data[8] = {0};
    const int peer = 1 - rank;
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0)
            MPI_Send(data, sizeof data, MPI_CHAR, peer, data_tag, MPI_COMM_WORLD);
        MPI_Recv(data, sizeof data, MPI_CHAR, peer, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(data, sizeof data, MPI_CHAR, peer, data_tag, MPI_COMM_WORLD);
        int arrived = 0;
        if (slow != NULL && i % 100 == 0)
            MPI_Test(slow, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            ++*news;
            MPI_Irecv(news + 1, 1, MPI_INT, rank + 2, slow_tag, MPI_COMM_WORLD, slow);
        }
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

/* Ranks 2 and 3 wait without a core of their own: there may be only two, for ranks 0 and 1. */
static void wait_for_all(int rank) {
    int here = 0;
    MPI_Request all;
    for (MPI_Ibarrier(MPI_COMM_WORLD, &all); !here; MPI_Test(&all, &here, MPI_STATUS_IGNORE))
        if (rank > 1)
            usleep(1000);
}

/* A message every millisecond until the other side has had enough. */
static void feed(int rank) {
    int told = 0, enough = 0;
    MPI_Request stop;
    MPI_Irecv(NULL, 0, MPI_INT, rank - 2, stop_tag, MPI_COMM_WORLD, &stop);
    while (!enough) {
        usleep(1000);
        ++told;
        MPI_Send(&told, 1, MPI_INT, rank - 2, slow_tag, MPI_COMM_WORLD);
        MPI_Test(&stop, &enough, MPI_STATUS_IGNORE);
    }
    told = -1;
    MPI_Send(&told, 1, MPI_INT, rank - 2, slow_tag, MPI_COMM_WORLD);
}

static void take(int rank) {
    double times[batches];
    int news[2] = {0, 0};
    MPI_Request slow;
    MPI_Irecv(news + 1, 1, MPI_INT, rank + 2, slow_tag, MPI_COMM_WORLD, &slow);
    ping_pong(rank, &slow, news);
    for (int i = 0; i < batches; ++i)
        times[i] = ping_pong(rank, &slow, news);
    MPI_Send(NULL, 0, MPI_INT, rank + 2, stop_tag, MPI_COMM_WORLD);
    for (MPI_Wait(&slow, MPI_STATUS_IGNORE); news[1] != -1;)
        MPI_Recv(news + 1, 1, MPI_INT, rank + 2, slow_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        bench_result("beside_slow", 8, bench_median(times, batches));
        bench_result("from_slow", 8, news[0]);
    }
}

int main(int argc, char **argv) {
    const int rank = bench_start(&argc, &argv, 4);
    bench_pin(rank % 2, 2);
    if (rank < 2) {
        double times[batches];
        ping_pong(rank, NULL, NULL);
        for (int i = 0; i < batches; ++i)
            times[i] = ping_pong(rank, NULL, NULL);
        if (rank == 0)
            bench_result("alone", 8, bench_median(times, batches));
    }
    wait_for_all(rank);
    if (rank < 2)
        take(rank);
    else
        feed(rank);
    MPI_Finalize();
    return 0;
}
