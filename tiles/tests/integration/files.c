/* SPDX-License-Identifier: Apache-2.0
 * Each rank writes so many megabytes of a file at once, all at the same time, and reads them: what the
 * slowest takes. Usage: files FILE MEGABYTES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long nanoseconds(double since) {
    double mine = MPI_Wtime() - since, longest = 0;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return (long)(longest * 1e9 + .5);
}

int main(int argc, char **argv) {
    int rank;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = argc > 2 ? atoi(argv[2]) * 1000000 : 0;
    char *const data = malloc((size_t)bytes + 1);
    memset(data, rank, (size_t)bytes);
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) != MPI_SUCCESS) {
        fprintf(stderr, "%s cannot be opened\n", argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    MPI_File_write_at(file, (MPI_Offset)rank * bytes, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    const long writing = nanoseconds(begun);
    begun = MPI_Wtime();
    MPI_File_read_at(file, (MPI_Offset)rank * bytes, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    const long reading = nanoseconds(begun);
    if (rank == 0) {
        printf("written in %ld ns, read in %ld ns\n", writing, reading);
    }
    MPI_File_close(&file);
    free(data);
    MPI_Finalize();
    return 0;
}
