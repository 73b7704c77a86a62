/* SPDX-License-Identifier: Apache-2.0
 * Message rate: rank 0 sends windows of 64 messages of 8 bytes to rank 1, which answers each window. */
#include "bench.h"

enum { window = 64, windows = 500, batches = 21, size = 8 };

static double batch(int rank, char *data) {
    MPI_Request requests[window];
    char answer = 0;
    const double start = MPI_Wtime();
    for (int w = 0; w < windows; ++w) {
        for (int i = 0; i < window; ++i)
            if (rank == 0)
                MPI_Isend(data + i * size, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[i]);
            else
                MPI_Irecv(data + i * size, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&answer, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    return (double)window * windows / (MPI_Wtime() - start);
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    char data[window * size] = {0};
    double rates[batches];
    batch(rank, data);
    for (int i = 0; i < batches; ++i)
        rates[i] = batch(rank, data);
    if (rank == 0)
        bench_result("rate", size, bench_median(rates, batches));
    MPI_Finalize();
    return 0;
}
