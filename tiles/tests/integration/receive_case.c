/* SPDX-License-Identifier: Apache-2.0
 * Rank 1 receives a long message of rank 0 in one of the cases of rMPI's third version: 1, it has arrived; 2,
 * nothing of it has; 3, a part has; 0: there is no message. */
#include <mpi.h>
#include <mpix.h>
#include <stdio.h>
#include <stdlib.h>

enum { words = 10000, later = 1000000, part_of_it = 40000 }; /* cycles; the message takes some 100,000 */

int main(int argc, char **argv) {
    static int data[words];
    int rank, wrong = 0;
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && which != 0) {
        MPIX_Tile_compute(which == 2 ? later : 0);
        for (int i = 0; i < words; ++i) {
            data[i] = 7 * i;
        }
        MPI_Send(data, words, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1 && which != 0) {
        MPIX_Tile_compute(which == 1 ? later : which == 3 ? part_of_it : 0);
        MPI_Recv(data, words, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < words; ++i) {
            wrong += data[i] != 7 * i;
        }
        printf("case %d: %d words are wrong\n", which, wrong);
    }
    MPI_Finalize();
    return wrong != 0;
}
