/* SPDX-License-Identifier: Apache-2.0
 * Says who it is, then sends a token round all ranks. With the argument `die`, the last rank ends without a
 * word and the others wait for it; with `abort`, it calls MPI_Abort. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\n", rank, size);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    const int last = size - 1;
    if (argc > 1 && rank == last) {
        if (strcmp(argv[1], "die") == 0) {
            kill(getpid(), SIGKILL);
        }
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    if (rank == 0) {
        token = 1000;
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("token %d\n", token - 1000);
    } else {
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++token;
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
