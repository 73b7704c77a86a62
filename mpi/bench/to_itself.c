/* SPDX-License-Identifier: Apache-2.0
 * Calls of a message of 8 bytes from a rank to itself: a send and a receive, and two requests that are waited
 * for together. The least of many short batches, so that a machine that does something else meanwhile tells
 * the same. */
#include <mpi.h>
#include <stdio.h>

enum { batches = 2000, batch = 1000 };

static void send_and_receive(char *out, char *in) {
    MPI_Status status;
    MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    MPI_Recv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &status);
}

static void post_and_wait(char *out, char *in) {
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(out, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
}

static void two_requests(char *out, char *in) {
    MPI_Request requests[2];
    MPI_Irecv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void measure(const char *name, void (*exchange)(char *, char *)) {
    char out[8] = {0}, in[8];
    double least = 1;
    for (int i = 0; i < batches; ++i) {
        const double start = MPI_Wtime();
        for (int j = 0; j < batch; ++j) {
            exchange(out, in);
        }
        const double spent = (MPI_Wtime() - start) / batch;
        least = spent < least ? spent : least;
    }
    printf("%s 8 %.3e\n", name, least);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    measure("send_and_receive", send_and_receive);
    measure("post_and_wait", post_and_wait);
    measure("two_requests", two_requests);
    MPI_Finalize();
    return 0;
}
