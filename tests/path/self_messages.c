/* SPDX-License-Identifier: Apache-2.0
 * Sends messages of 8 bytes to itself: self_messages COUNT. What the calls cost is counted from outside, see
 * check_budget. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 64 };

static int blocking(long count) {
    long out, in = -1;
    for (out = 0; out < count; ++out) {
        MPI_Send(&out, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&in, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in != out)
            return 1;
    }
    return 0;
}

static int windows(long count) {
    long out[window], in[window];
    MPI_Request requests[2 * window];
    for (long done = 0; done < count; done += window) {
        for (int i = 0; i < window; ++i)
            MPI_Irecv(&in[i], 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < window; ++i) {
            out[i] = done + i;
            MPI_Isend(&out[i], 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[window + i]);
        }
        MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
        if (memcmp(in, out, sizeof in) != 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const long count = atol(argv[1]);
    int wrong = 0;
    for (int manner = 0; manner < 2; ++manner)
        for (int counted = 0; counted < 2; ++counted) { /* the first time some things happen once */
            wrong |= manner == 0 ? blocking(count) : windows(count);
            MPI_Wtime(); /* ends a part of what is counted */
        }
    if (wrong)
        fprintf(stderr, "self_messages: a message came with other contents\n");
    MPI_Finalize();
    return wrong;
}
