/* SPDX-License-Identifier: Apache-2.0
 * Many ranks: how long they take to begin, for a barrier, an allreduce of 8 bytes and one of 1 KiB, 20 steps
 * of a halo exchange on a square grid with 128 bytes for each neighbour, and to end; and the most memory of
 * the process. lislerun --ranks fiber -n 100000 scale      ranks of the launcher's; the time begins with the
 * launcher scale 100000                                ranks that MPIX_Run makes in this process Times are
 * the second of two, in seconds, without a second one for beginning and end; a collective's first call is
 * shown as well. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { edge = 16, vector = 128, steps = 20 };
static double embedded_since;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Since when the launcher, this process's ancestor, has been there. */
static double job_since(void) {
    char text[1024] = "";
    unsigned long long ticks = 0;
    FILE *const file = fopen("/proc/self/stat", "r");
    if (file != NULL && fgets(text, sizeof text, file) != NULL) {
        const char *at = strrchr(text, ')');
        for (int field = 2; at != NULL && field < 22; ++field) {
            at = strchr(at + 1, ' ');
        }
        ticks = at != NULL ? strtoull(at, NULL, 10) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double memory(void) {
    char line[256];
    double kilobytes = 0;
    FILE *const file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        double value;
        /* With the tables of pages, of which many stacks need many. */
        if (sscanf(line, "VmHWM: %lf", &value) == 1 || sscanf(line, "VmPTE: %lf", &value) == 1) {
            kilobytes += value;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1024 * kilobytes;
}

static int halo(MPI_Comm grid, const int *around) {
    char out[edge * 8], in[edge * 8];
    int rank, wrong = 0;
    MPI_Comm_rank(grid, &rank);
    for (int step = 0; step < steps; ++step) {
        for (int side = 0; side < 4; ++side) {
            const int to = around[side], from = around[side ^ 1];
            memset(out, (rank + step + side) & 0x7f, sizeof out);
            MPI_Sendrecv(out, sizeof out, MPI_BYTE, to, side, in, sizeof in, MPI_BYTE, from, side, grid,
                         MPI_STATUS_IGNORE);
            wrong |= from != MPI_PROC_NULL && in[edge] != ((from + step + side) & 0x7f);
        }
    }
    return wrong;
}

static int body(void *unused) {
    int rank, ranks, wrong = 0, sides[2] = {0, 0}, open[2] = {0, 0}, around[4];
    double at[12], sum = 0, one = 1, *const many = calloc(2 * vector, sizeof *many);
    MPI_Comm grid;
    (void)unused;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    at[0] = now();
    MPI_Barrier(MPI_COMM_WORLD);
    at[1] = now();
    MPI_Barrier(MPI_COMM_WORLD);
    at[2] = now();
    for (int time = 0; time < 2; ++time) {
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        wrong |= sum != ranks;
        at[3 + time] = now();
    }
    many[vector - 1] = 1;
    for (int time = 0; time < 2; ++time) {
        MPI_Allreduce(many, many + vector, vector, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        wrong |= many[2 * vector - 1] != ranks;
        at[5 + time] = now();
    }
    MPI_Dims_create(ranks, 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, open, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &around[1], &around[0]);
    MPI_Cart_shift(grid, 1, 1, &around[3], &around[2]);
    MPI_Barrier(grid);
    at[7] = now();
    for (int time = 0; time < 2; ++time) {
        wrong |= halo(grid, around);
        MPI_Barrier(grid);
        at[8 + time] = now();
    }
    MPI_Comm_free(&grid);
    int any = 0;
    MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const double since = embedded_since != 0 ? embedded_since : job_since();
        printf("scale %d%s: begin %.3f barrier %.3f %.4f allreduce %.3f %.4f of 1 KiB %.3f %.4f grid %.3f "
               "halo %.3f %.3f, "
               "%.1f KiB a rank\n",
               ranks, any ? " WRONG" : "", at[1] - since, at[1] - at[0], at[2] - at[1], at[3] - at[2],
               at[4] - at[3], at[5] - at[4], at[6] - at[5], at[7] - at[6], at[8] - at[7], at[9] - at[8],
               memory() / 1024 / ranks);
        fflush(stdout);
    }
    free(many);
    MPI_Finalize();
    return wrong;
}

int main(int argc, char **argv) {
    int status = 0;
    if (argc < 2) {
        return body(NULL);
    }
    embedded_since = now();
    if (MPIX_Run(atoi(argv[1]), MPIX_RANKS_FIBERS, argc > 2 ? atoi(argv[2]) : 0, body, NULL, &status) !=
        MPI_SUCCESS) {
        return 1;
    }
    printf("scale %s: all %.3f\n", argv[1], now() - embedded_since);
    return status;
}
