/* SPDX-License-Identifier: Apache-2.0
 * fiber_collectives TIMES NAME: so many collectives of 8 bytes of two ranks, the root in turns. What the
 * calls cost is counted from outside, see check_budget. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char give[16], take[16];

static void bcast(int root) {
    MPI_Bcast(give, 8, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void gather(int root) {
    MPI_Gather(give, 8, MPI_CHAR, take, 8, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void alltoallv(int root) {
    static const int counts[] = {8, 8}, places[] = {0, 8};
    (void)root;
    MPI_Alltoallv(give, counts, places, MPI_CHAR, take, counts, places, MPI_CHAR, MPI_COMM_WORLD);
}
static void reduce(int root) {
    MPI_Reduce(give, take, 1, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(int root);
} collectives[] = {{"bcast", bcast}, {"gather", gather}, {"alltoallv", alltoallv}, {"reduce", reduce}};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (size_t i = 0; argc == 3 && i < sizeof collectives / sizeof *collectives; ++i) {
        if (strcmp(argv[2], collectives[i].name) == 0) {
            const int times = atoi(argv[1]);
            for (int time = 0; time < times; ++time)
                collectives[i].call(time % 2);
            MPI_Finalize();
            return 0;
        }
    }
    fprintf(stderr, "usage: fiber_collectives TIMES bcast|gather|alltoallv|reduce\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
}
