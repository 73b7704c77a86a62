/* SPDX-License-Identifier: Apache-2.0
 * What the benchmark programs share: pinning that is the same under every MPI, medians, and the form of a
 * result, "name size value", which mpi/bench/run reads. Values are seconds, or messages in a second. */
#ifndef BENCH_H
#define BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pins the calling rank to the rank-th of the processors that it may use, or if they are fewer than the ranks
 * to one that a block of ranks shares: fibers pin their worker, which runs such a block, and the first one
 * decides. The launchers are told not to bind, so every MPI is treated alike; a thread rank pins its own
 * thread only. */
static inline void bench_pin(int rank, int ranks) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    const int processors = CPU_COUNT(&allowed);
    int wanted = ranks > processors ? rank * processors / ranks : rank;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static inline int bench_compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static inline double bench_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* MPI_Init for a program of so many ranks; the calling rank. */
static inline int bench_start(int *argc, char ***argv, int wanted) {
    int rank, ranks;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != wanted) {
        fprintf(stderr, "%s: wants %d ranks, not %d\n", (*argv)[0], wanted, ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return rank;
}

/* The same, with each rank pinned to a core of its own. */
static inline int bench_begin(int *argc, char ***argv, int wanted) {
    const int rank = bench_start(argc, argv, wanted);
    bench_pin(rank, wanted);
    return rank;
}

/* So many round trips between ranks 0 and 1; the one-way time of a message. */
static inline double bench_round_trips(int rank, char *out, char *in, int size, int count) {
    const int peer = 1 - rank;
    const double start = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
        if (rank == 0) {
            MPI_Send(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / count / 2;
}

static inline void bench_result(const char *name, long size, double value) {
    printf("%s %ld %.9g\n", name, size, value);
}

/* The values that divide sorted ones into six parts of as many each, as "name_sextile<1 to 5>". */
static inline void bench_sextiles(const char *name, long size, double *values, int count) {
    char sextile[64];
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    for (int part = 1; part < 6; ++part) {
        snprintf(sextile, sizeof sextile, "%s_sextile%d", name, part);
        bench_result(sextile, size, values[part * (count - 1) / 6]);
    }
}

#endif
