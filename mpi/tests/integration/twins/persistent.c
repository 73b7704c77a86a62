/* SPDX-License-Identifier: Apache-2.0
 * Persistent collectives. */
#include "twins.h"

static void complete(MPI_Request *request) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
}

/* All ranks make persistent collectives in one order; they may start them in any. */
static void persistent_order(void) {
    int one = rank, other = rank, sum = 0, most = 0;
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
        if (i == (right ? 0 : rank)) {
            MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        } else {
            MPI_Reduce_init(&other, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &requests[1]);
        }
    }
    MPI_Start(&requests[rank]);
    MPI_Start(&requests[1 - rank]);
    complete(&requests[0]);
    complete(&requests[1]);
}

static void persistent_started_twice(void) {
    MPI_Request request;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Start(&request); /* A persistent_started_twice */
    complete(&request);
}

static void persistent_changed(void) {
    int mine = rank, sum = 0;
    MPI_Request request;
    /* A persistent_changed */
    MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    mine = 3;
    MPI_Start(&request);
    if (!right) {
        mine = 4;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mine = 5;
    MPI_Request_free(&request);
}

static void persistent_root(void) {
    int data[4] = {0};
    MPI_Request request;
    MPI_Bcast_init(data, 4, MPI_INT, right ? 1 : rank, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    complete(&request);
}

static void persistent_types(void) {
    int data[4] = {0}, all[8] = {0};
    MPI_Request request;
    MPI_Allgather_init(data, 4, MPI_INT, all, 4, right || rank == 0 ? MPI_INT : MPI_FLOAT, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
    MPI_Start(&request);
    complete(&request);
}

static void persistent_left(void) {
    int data = 0;
    MPI_Request request;
    MPI_Bcast_init(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request); /* A persistent_left */
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right) {
        MPI_Request_free(&request);
    }
}

static void persistent_freed(void) {
    MPI_Request request;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request); /* A persistent_freed */
}

/* One rank makes ready what it never starts. */
static void persistent_never_started(void) {
    MPI_Request request;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (right || rank == 0) {
        MPI_Start(&request);
    }
    complete(&request); /* the other one's returns at once */
}

const struct mistake persistent_mistakes[] = {
    {"persistent_order", persistent_order, MPI_THREAD_SINGLE},
    {"persistent_started_twice", persistent_started_twice, MPI_THREAD_SINGLE},
    {"persistent_changed", persistent_changed, MPI_THREAD_SINGLE},
    {"persistent_root", persistent_root, MPI_THREAD_SINGLE},
    {"persistent_types", persistent_types, MPI_THREAD_SINGLE},
    {"persistent_left", persistent_left, MPI_THREAD_SINGLE},
    {"persistent_freed", persistent_freed, MPI_THREAD_SINGLE},
    {"persistent_never_started", persistent_never_started, MPI_THREAD_SINGLE},
    {0},
};
