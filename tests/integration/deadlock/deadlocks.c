/* SPDX-License-Identifier: Apache-2.0
 * A program whose ranks wait for each other for ever, in the way that the argument names; with some they only
 * seem to. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, token, left, right;
static const int pause_microseconds = 600 * 1000; /* longer than all have to sleep before anybody looks */

static void receive(int from, int tag, MPI_Comm comm) {
    MPI_Recv(&token, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

static void send(int to, int tag, MPI_Comm comm) {
    const int nothing = 0; /* no token: one thread may send while another receives */
    MPI_Send(&nothing, 1, MPI_INT, to, tag, comm);
}

static void other_tag(void) {
    send(right, 8, MPI_COMM_WORLD);
    receive(left, 7, MPI_COMM_WORLD);
}

static void other_communicator(void) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_name(twin, "twin");
    send(right, 7, twin);
    receive(left, 7, MPI_COMM_WORLD);
}

static void long_sends(void) {
    enum { bytes = 4 << 20 };
    char *const buffer = calloc(2, bytes);
    MPI_Send(buffer, bytes, MPI_CHAR, right, 5, MPI_COMM_WORLD);
    MPI_Recv(buffer + bytes, bytes, MPI_CHAR, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(buffer);
}

/* Ends wherever a message of this length leaves its sender before it is received. */
static void short_sends(void) {
    int out[100] = {0}, in[100];
    MPI_Send(out, 100, MPI_INT, right, 5, MPI_COMM_WORLD);
    MPI_Recv(in, 100, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_all(void) {
    MPI_Request all[3];
    int in[2];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(&token, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
}

static void wait_for_any(void) {
    MPI_Request all[2];
    int in[2], index;
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Waitany(2, all, &index, MPI_STATUS_IGNORE);
}

static void other_members(void) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : twin);
    MPI_Barrier(rank == 0 ? twin : MPI_COMM_WORLD);
}

static void non_blocking_collective(void) {
    if (rank != 0) {
        MPI_Request one;
        MPI_Ibarrier(MPI_COMM_WORLD, &one);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
}

/* ---- what only seems to stand still ---- */

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int forget(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int stop(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *complete_later(void *request) {
    usleep(pause_microseconds);
    MPI_Grequest_complete(*(MPI_Request *)request);
    return NULL;
}

static void generalized(void) {
    MPI_Request one;
    pthread_t thread;
    MPI_Grequest_start(query, forget, stop, NULL, &one);
    MPI_Request theirs = one;
    pthread_create(&thread, NULL, complete_later, &theirs);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
}

static void *send_later(void *argument) {
    usleep(pause_microseconds);
    send(right, 3, MPI_COMM_WORLD);
    return argument;
}

static void thread_sends(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, send_later, NULL);
    receive(left, 3, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
}

static void computes(void) {
    if (rank == 0) {
        usleep(pause_microseconds);
        for (int to = 1; to < size; ++to) {
            send(to, 4, MPI_COMM_WORLD);
        }
    } else {
        receive(0, 4, MPI_COMM_WORLD);
    }
}

static void one_sleeps(void) {
    if (rank == 1) {
        sleep(60);
    } else {
        receive(1, 4, MPI_COMM_WORLD);
    }
}

static void busy(void) {
    enum { rounds = 2000 };
    for (int i = 0; i < rounds; ++i) {
        MPI_Sendrecv(&i, 1, MPI_INT, right, 6, &token, 1, MPI_INT, left, 6, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "ring";
    const int threads = strcmp(how, "thread_sends") == 0 || strcmp(how, "generalized") == 0;
    int provided;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    if (strcmp(how, "ring") == 0) {
        receive(left, 7, MPI_COMM_WORLD);
    } else if (strcmp(how, "other_tag") == 0) {
        other_tag();
    } else if (strcmp(how, "other_communicator") == 0) {
        other_communicator();
    } else if (strcmp(how, "synchronous") == 0) {
        MPI_Ssend(&token, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
    } else if (strcmp(how, "long_sends") == 0) {
        long_sends();
    } else if (strcmp(how, "short_sends") == 0) {
        short_sends();
    } else if (strcmp(how, "waitall") == 0) {
        wait_for_all();
    } else if (strcmp(how, "waitany") == 0) {
        wait_for_any();
    } else if (strcmp(how, "probe") == 0) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "other_members") == 0) {
        other_members();
    } else if (strcmp(how, "missing") == 0) {
        if (rank != 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
    } else if (strcmp(how, "non_blocking") == 0) {
        non_blocking_collective();
    } else if (strcmp(how, "finalize") == 0) {
        if (rank == 0) {
            receive(right, 7, MPI_COMM_WORLD);
        }
    } else if (strcmp(how, "generalized") == 0) {
        generalized();
    } else if (strcmp(how, "thread_sends") == 0) {
        thread_sends();
    } else if (strcmp(how, "computes") == 0) {
        computes();
    } else if (strcmp(how, "one_sleeps") == 0) {
        one_sleeps();
    } else if (strcmp(how, "busy") == 0) {
        busy();
    }
    MPI_Finalize();
    if (rank == 0) {
        printf("all ended\n");
    }
    return 0;
}
