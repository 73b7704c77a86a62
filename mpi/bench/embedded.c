/* SPDX-License-Identifier: Apache-2.0
 * Ranks inside a program: the time in which MPIX_Run makes so many fiber ranks (10,000 if no number is
 * given), runs MPI_Init, a barrier, a reduction and MPI_Finalize on each and ends them; and the most memory
 * that this took. Lisle alone has the call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static int ranks;

static int body(void *context) {
    (void)context;
    int rank;
    long mine, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != (long)ranks * (ranks - 1) / 2;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
    ranks = argc > 1 ? atoi(argv[1]) : 10000;
    int status = -1;
    const double start = now();
    if (MPIX_Run(ranks, MPIX_RANKS_FIBERS, 0, body, NULL, &status) != MPI_SUCCESS || status != 0) {
        fprintf(stderr, "embedded: a rank failed\n");
        return 1;
    }
    const double spent = now() - start;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("embedded %d %.9g\n", ranks, spent);
    printf("embedded_memory %d %.9g\n", ranks, 1024.0 * (double)used.ru_maxrss);
    return 0;
}
