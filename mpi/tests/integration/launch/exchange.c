/* SPDX-License-Identifier: Apache-2.0
 * What log_test.py looks for: rank 0 sends 8 bytes with tag 7 and 300000 bytes with tag 8 to rank 1, which
 * asks for the second one first; then all ranks take part in a broadcast, and open the file that the argument
 * names. */
#include <mpi.h>

enum { length = 300000 };

static char data[length];

static void send_two(void) {
    long number = 42;
    MPI_Send(&number, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    MPI_Send(data, length, MPI_BYTE, 1, 8, MPI_COMM_WORLD);
}

static void receive_two(void) {
    long number = 0;
    MPI_Request requests[2];
    MPI_Irecv(data, length, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&number, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (number != 42) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        send_two();
    } else if (rank == 1) {
        receive_two();
    }
    MPI_Bcast(data, 16, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (argc > 1) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
