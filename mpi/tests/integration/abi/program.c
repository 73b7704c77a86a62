/* SPDX-License-Identifier: Apache-2.0
 * Sends itself a few messages, so that tools have something to count. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int sent = 42, received = 0, i;
    MPI_Init(&argc, &argv);
    for (i = 0; i < 3; ++i) {
        MPI_Request request;
        MPI_Irecv(&received, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
        MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    printf("received %d\n", received);
    return received == 42 ? 0 : 1;
}
