/* SPDX-License-Identifier: Apache-2.0
 * Intercommunicators. */
#include "twins.h"

/* Between the rank and the other one. */
static MPI_Comm between(int tag) {
    MPI_Comm made;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, tag, &made); /* A intercomm_tags */
    return made;
}

static void intercomm_tags(void) {
    MPI_Comm made = between(right ? 3 : 3 + rank);
    MPI_Comm_free(&made);
}

static void intercomm_no_such_rank(void) {
    int data = 0;
    MPI_Comm made = between(3);
    if (rank == 0) {
        MPI_Send(&data, 1, MPI_INT, right ? 0 : 1, 5, made); /* A intercomm_no_such_rank */
    } else {
        MPI_Recv(&data, 1, MPI_INT, 0, 5, made, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&made);
}

/* Both sides think that they are the root's. */
static void intercomm_roots(void) {
    int data = rank;
    MPI_Comm made = between(3);
    MPI_Bcast(&data, 1, MPI_INT, right && rank == 1 ? 0 : MPI_ROOT, made); /* A intercomm_roots */
    MPI_Comm_free(&made);
}

static void intercomm_types(void) {
    int data[2] = {0};
    MPI_Comm made = between(3);
    MPI_Bcast(data, 2, right || rank == 0 ? MPI_INT : MPI_FLOAT, rank == 0 ? MPI_ROOT : 0,
              made); /* A intercomm_types */
    MPI_Comm_free(&made);
}

static void intercomm_in_place(void) {
    int data[2] = {0}, got[2] = {0};
    MPI_Comm made = between(3);
    MPI_Allreduce(right ? data : MPI_IN_PLACE, got, 2, MPI_INT, MPI_SUM, made); /* A intercomm_in_place */
    MPI_Comm_free(&made);
}

static void intercomm_scan(void) {
    int data = 0, got = 0;
    MPI_Comm made = between(3);
    MPI_Scan(&data, &got, 1, MPI_INT, MPI_SUM, right ? MPI_COMM_WORLD : made); /* A intercomm_scan */
    MPI_Comm_free(&made);
}

const struct mistake intercomm_mistakes[] = {
    {"intercomm_tags", intercomm_tags, MPI_THREAD_SINGLE},
    {"intercomm_no_such_rank", intercomm_no_such_rank, MPI_THREAD_SINGLE},
    {"intercomm_roots", intercomm_roots, MPI_THREAD_SINGLE},
    {"intercomm_types", intercomm_types, MPI_THREAD_SINGLE},
    {"intercomm_in_place", intercomm_in_place, MPI_THREAD_SINGLE},
    {"intercomm_scan", intercomm_scan, MPI_THREAD_SINGLE},
    {0},
};
