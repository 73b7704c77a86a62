/* SPDX-License-Identifier: Apache-2.0
 * fiber_collectives TIMES: so many collectives of each kind of 8 bytes of two ranks, the root in turns. What
 * the calls cost is counted from outside, see check_budget. */
#include <mpi.h>
#include <stdlib.h>

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

static void (*const collectives[])(int root) = {bcast, gather, alltoallv, reduce};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int times = atoi(argv[1]);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i)
        for (int counted = 0; counted < 2; ++counted) { /* the first time some things happen once */
            for (int time = 0; time < times; ++time)
                collectives[i](time % 2);
            if (rank == 0)
                MPI_Wtime(); /* ends a part of what is counted */
        }
    MPI_Finalize();
    return 0;
}
