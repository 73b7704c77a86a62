/* SPDX-License-Identifier: Apache-2.0
 * fibers TIMES: so many collectives of each kind of 8 bytes of two ranks, the root in turns, and exchanges.
 * What the calls cost is counted from outside, see check_budget. */
#include <mpi.h>
#include <stdlib.h>

static char give[16], take[16];
static int rank;

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
static void barrier(int root) {
    (void)root;
    MPI_Barrier(MPI_COMM_WORLD);
}
static void allreduce(int root) {
    (void)root;
    MPI_Allreduce(give, take, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
/* A message there and one back. */
static void exchange(int root) {
    const int peer = 1 - rank;
    if (rank == root) {
        MPI_Send(give, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(take, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(take, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(give, 8, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    }
}

static void (*const kinds[])(int root) = {bcast, gather, alltoallv, reduce, barrier, allreduce, exchange};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int times = atoi(argv[1]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        for (int counted = 0; counted < 2; ++counted) { /* the first time some things happen once */
            for (int time = 0; time < times; ++time)
                kinds[i](time % 2);
            if (rank == 0)
                MPI_Wtime(); /* ends a part of what is counted */
        }
    MPI_Finalize();
    return 0;
}
