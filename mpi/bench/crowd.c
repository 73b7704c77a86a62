/* SPDX-License-Identifier: Apache-2.0
 * Many ranks on few cores: barrier, reduction of 8 bytes, exchange with both neighbours, and broadcasts of 8
 * bytes in a row, the mean of as many as fit a fixed time, until the last rank has done them; and the memory
 * that each rank takes, as the kernel shares it out (Pss). Not pinned. */
#include "bench.h"
#include <unistd.h>

static int rank, ranks;

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}
static void allreduce(void) {
    double mine = rank, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void neighbours(void) {
    double out = rank, left, right;
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, after, 0, &left, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, before, 1, &right, 1, MPI_DOUBLE, after, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void broadcast(void) {
    double data = rank;
    MPI_Bcast(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static double mean_of(void (*operation)(void)) {
    const double least = 0.2;
    operation();
    for (int count = 1;; count *= 4) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int i = 0; i < count; ++i)
            operation();
        MPI_Barrier(MPI_COMM_WORLD); /* a root may be far ahead of the others */
        double spent = MPI_Wtime() - start;
        MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (spent >= least)
            return spent / count;
    }
}

/* Of the whole process; 0 where the kernel does not tell. */
static double process_bytes(void) {
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %ld kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return 1024.0 * (double)kib;
}

static double bytes_of_rank(void) {
    int own = (int)getpid(), first = 1;
    int *processes = malloc(sizeof *processes * (size_t)ranks);
    MPI_Allgather(&own, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < rank; ++i) /* one rank of each process speaks for it */
        first = first && processes[i] != own;
    free(processes);
    double mine = first ? process_bytes() : 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / ranks;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double memory = bytes_of_rank();
    const double times[] = {mean_of(barrier), mean_of(allreduce), mean_of(neighbours), mean_of(broadcast)};
    if (rank == 0) {
        bench_result("memory", ranks, memory);
        bench_result("barrier", ranks, times[0]);
        bench_result("allreduce", ranks, times[1]);
        bench_result("neighbours", ranks, times[2]);
        bench_result("broadcasts", ranks, times[3]);
    }
    MPI_Finalize();
    return 0;
}
