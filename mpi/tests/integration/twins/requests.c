/* SPDX-License-Identifier: Apache-2.0
 * Requests, modes of sending, and buffers that the program lends. */
#include "twins.h"

#include <stdlib.h>
#include <string.h>

/* Nothing says that the receive is there. */
static void ready_early(void) {
    int data = rank;
    MPI_Request request;
    if (rank == 0) {
        if (right) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Rsend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); /* A ready_early */
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (right) {
        MPI_Irecv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static char room[4096];
static void __attribute__((noinline)) attach(void) {
    char own[4096];
    memset(own, 0, sizeof own);
    MPI_Buffer_attach(right ? room : own, sizeof own); /* A attached_frame */
}

/* The function whose variable was lent has returned. */
static void attached_frame(void) {
    int data = rank, size;
    void *back;
    attach();
    if (rank == 0) {
        MPI_Bsend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); /* A attached_frame */
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&back, &size);
}

/* The room is lent to another communicator [MPI-4.1]. */
static void attached_elsewhere(void) {
    int data = rank, size;
    void *back, *const own = malloc(4096);
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_attach_buffer(made, own, 4096);
    if (rank == 0) {
        MPI_Bsend(&data, 1, MPI_INT, 1, 5, right ? made : MPI_COMM_WORLD); /* A attached_elsewhere */
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, right ? made : MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_detach_buffer(made, &back, &size);
    MPI_Comm_free(&made);
    free(own);
}

/* A matched message that nobody receives. */
static void message_left(void) {
    int data = rank;
    MPI_Message message;
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); /* A message_left */
        MPI_Barrier(MPI_COMM_WORLD);
        if (right) {
            MPI_Mrecv(&data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
    }
}

static void sendrecv_overlaps(void) {
    int data[3] = {0};
    MPI_Request request;
    MPI_Isendrecv(data, 1, MPI_INT, 1 - rank, 5, data + (right ? 1 : 0), 2, MPI_INT, 1 - rank, 5,
                  MPI_COMM_WORLD, &request); /* A sendrecv_overlaps */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sendrecv_changed(void) {
    int data[2] = {rank, rank};
    MPI_Request request;
    MPI_Isendrecv_replace(data, 1, MPI_INT, 1 - rank, 5, 1 - rank, 5, MPI_COMM_WORLD,
                          &request); /* A sendrecv_changed */
    data[right ? 1 : 0] = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The duplicate may be used once the request is complete, which it cannot be before the other rank begins. */
static void duplicate_early(void) {
    int data = 0;
    MPI_Comm made;
    MPI_Request request;
    if (!right && rank == 1) {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&data, 1, MPI_INT, 0, made); /* A duplicate_early */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
}

const struct mistake request_mistakes[] = {
    {"ready_early", ready_early, MPI_THREAD_SINGLE},
    {"attached_frame", attached_frame, MPI_THREAD_SINGLE},
    {"attached_elsewhere", attached_elsewhere, MPI_THREAD_SINGLE},
    {"message_left", message_left, MPI_THREAD_SINGLE},
    {"sendrecv_overlaps", sendrecv_overlaps, MPI_THREAD_SINGLE},
    {"sendrecv_changed", sendrecv_changed, MPI_THREAD_SINGLE},
    {"duplicate_early", duplicate_early, MPI_THREAD_SINGLE},
    {0},
};
