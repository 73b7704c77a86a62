/* SPDX-License-Identifier: Apache-2.0
 * Begins and ends: mpi/bench/run takes the time of the whole job. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
