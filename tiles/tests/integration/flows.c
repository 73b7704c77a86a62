/* SPDX-License-Identifier: Apache-2.0 */
/* Communication whose time has a closed form: "flows PATTERN ROUNDS BYTES" prints the nanoseconds of all
 * rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, bytes;
static char *out, *in;

static void send_to(int to, int size) {
    MPI_Send(out, size, MPI_CHAR, to, 0, MPI_COMM_WORLD);
}
static void receive_from(int from, int size) {
    MPI_Recv(in, size, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ping_pong(void) {
    if (rank == 0) {
        send_to(1, bytes);
        receive_from(1, bytes);
    } else if (rank == 1) {
        receive_from(0, bytes);
        send_to(0, bytes);
    }
}

static void ring(void) {
    if (rank == 0) {
        send_to(1, bytes);
        receive_from(ranks - 1, bytes);
    } else {
        receive_from(rank - 1, bytes);
        send_to((rank + 1) % ranks, bytes);
    }
}

/* The rank with the longest way says that it has the data. */
static void binomial(void) {
    int half = ranks;
    if (rank != 0) {
        half = rank & -rank;
        receive_from(rank - half, bytes);
    }
    while ((half /= 2) > 0) {
        send_to(rank + half, bytes);
    }
    if (rank == ranks - 1) {
        send_to(0, 0);
    } else if (rank == 0) {
        receive_from(ranks - 1, 0);
    }
}

static void doubling(void) {
    for (int step = 1; step < ranks; step *= 2) {
        MPI_Sendrecv(out, bytes, MPI_CHAR, rank ^ step, 0, in, bytes, MPI_CHAR, rank ^ step, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int rounds = count > 2 ? atoi(words[2]) : 1;
    bytes = count > 3 ? atoi(words[3]) : 8;
    out = calloc((size_t)bytes + 1, 1);
    in = calloc((size_t)bytes + 1, 1);
    void (*const pattern)(void) = count < 2                           ? ping_pong
                                  : strcmp(words[1], "ring") == 0     ? ring
                                  : strcmp(words[1], "binomial") == 0 ? binomial
                                  : strcmp(words[1], "doubling") == 0 ? doubling
                                                                      : ping_pong;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
        pattern();
    }
    const double took = MPI_Wtime() - begin;
    if (rank == 0) {
        printf("%.0f ns\n", took * 1e9);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
