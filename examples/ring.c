/* SPDX-License-Identifier: Apache-2.0
 * A token goes round all ranks some times; each one adds its own number to it.
 * Use: ring [rounds] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    long long token = 0;

    const double start = MPI_Wtime();
    for (int round = 0; round < rounds; ++round) {
        if (size == 1) {
            MPI_Sendrecv_replace(&token, 1, MPI_LONG_LONG, next, 0, previous, 0, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Send(&token, 1, MPI_LONG_LONG, next, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_LONG_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&token, 1, MPI_LONG_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            token += rank;
            MPI_Send(&token, 1, MPI_LONG_LONG, next, 0, MPI_COMM_WORLD);
        }
    }
    const double seconds = MPI_Wtime() - start;

    int wrong = 0;
    if (rank == 0) {
        const long long expected = (long long)rounds * size * (size - 1) / 2;
        wrong = token != expected;
        printf("%d ranks, %d rounds: token %lld, expected %lld: %s (%.2f us for each hop)\n", size, rounds,
               token, expected, wrong ? "WRONG" : "right", seconds * 1e6 / rounds / size);
    }
    MPI_Finalize();
    return wrong;
}
