/* SPDX-License-Identifier: Apache-2.0
 * A rank that computes a little between two looks for a message, while the others wait for what it passes on.
 */
#include <mpi.h>
#include <stdio.h>

static volatile double value = 1;

static void compute_a_little(void) {
    for (int i = 0; i < 2000; ++i) {
        value = value * 1.0000001 + 1e-9;
    }
}

static void receive_looking(int *number, int from) {
    MPI_Request request;
    MPI_Irecv(number, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
    for (int here = 0; !here; MPI_Test(&request, &here, MPI_STATUS_IGNORE)) {
        compute_a_little();
    }
}

int main(int argc, char **argv) {
    enum { rounds = 20 };
    int rank, size, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int before = (rank + size - 1) % size, after = (rank + 1) % size;
    for (int round = 0; round < rounds; ++round) {
        if (rank == 0) {
            ++number;
            MPI_Send(&number, 1, MPI_INT, after, 0, MPI_COMM_WORLD);
            receive_looking(&number, before);
        } else {
            MPI_Recv(&number, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ++number;
            MPI_Send(&number, 1, MPI_INT, after, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) {
        printf("%d of %d steps\n", number, rounds * size);
    }
    MPI_Finalize();
    return rank == 0 && number != rounds * size;
}
