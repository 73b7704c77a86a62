/* SPDX-License-Identifier: Apache-2.0
 * Partitioned messages. */
#include "twins.h"

enum { partitions = 4, length = 2 };

static int data[partitions * length];

static MPI_Request begin(int count, MPI_Datatype type) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, partitions, length, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request); /* A partition_changed */
    } else {
        MPI_Precv_init(data, 1, count, type, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    }
    return request;
}

static MPI_Request begin_usual(void) {
    return begin(partitions * length, MPI_INT);
}

static void complete(MPI_Request request) {
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* A partition_never_ready */
    MPI_Request_free(&request);
}

static void partition_never_ready(void) {
    MPI_Request request = begin_usual();
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 2, request);
        if (right) {
            MPI_Pready(partitions - 1, request);
        }
    }
    complete(request);
}

static void partition_ready_twice(void) {
    MPI_Request request = begin_usual();
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 2, request);
        MPI_Pready(right ? partitions - 1 : 1, request); /* A partition_ready_twice */
    }
    complete(request);
}

static void partition_ready_before_start(void) {
    MPI_Request request = begin_usual();
    if (right || rank == 1) {
        MPI_Start(&request);
    }
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 1, request); /* A partition_ready_before_start */
    }
    complete(request);
}

static void partition_outside(void) {
    MPI_Request request = begin_usual();
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, right ? partitions - 1 : partitions, request); /* A partition_outside */
    }
    complete(request);
}

static void partition_not_of_receive(void) {
    MPI_Request request = begin_usual();
    int flag = 0;
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 1, request);
    } else {
        while (!flag) {
            MPI_Parrived(request, right ? 0 : 3, &flag); /* A partition_not_of_receive */
        }
    }
    complete(request);
}

static void partition_length(void) {
    MPI_Request request = begin(partitions * (right ? length : length - 1), MPI_INT);
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 1, request);
    }
    complete(request);
}

static void partition_type(void) {
    MPI_Request request = begin(partitions * length, right ? MPI_INT : MPI_FLOAT);
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 1, request);
    }
    complete(request);
}

static void partition_changed(void) {
    MPI_Request request = begin_usual();
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready(0, request);
        data[right ? length : 0] = 7;
        MPI_Pready_range(1, partitions - 1, request);
    }
    complete(request);
}

static void partition_freed(void) {
    MPI_Request request = begin_usual();
    MPI_Start(&request);
    if (rank == 0) {
        MPI_Pready_range(0, partitions - 1, request);
    }
    if (right) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request); /* A partition_freed */
}

const struct mistake partition_mistakes[] = {
    {"partition_never_ready", partition_never_ready, MPI_THREAD_SINGLE},
    {"partition_ready_twice", partition_ready_twice, MPI_THREAD_SINGLE},
    {"partition_ready_before_start", partition_ready_before_start, MPI_THREAD_SINGLE},
    {"partition_outside", partition_outside, MPI_THREAD_SINGLE},
    {"partition_not_of_receive", partition_not_of_receive, MPI_THREAD_SINGLE},
    {"partition_length", partition_length, MPI_THREAD_SINGLE},
    {"partition_type", partition_type, MPI_THREAD_SINGLE},
    {"partition_changed", partition_changed, MPI_THREAD_SINGLE},
    {"partition_freed", partition_freed, MPI_THREAD_SINGLE},
    {0},
};
