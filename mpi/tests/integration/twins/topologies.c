/* SPDX-License-Identifier: Apache-2.0
 * Topologies and neighbourhoods. */
#include "twins.h"

/* Rank 0 says that it sends to the other one, which knows nothing of that. */
static void topology_one_sided(void) {
    const int other[1] = {1 - rank}, weight[1] = {1};
    const int from = rank == 1 && right, to = rank == 0;
    int data = rank, got[2] = {0};
    MPI_Comm graph;
    /* A topology_one_sided */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, from, other, weight, to, other, weight, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Neighbor_allgather(&data, 1, MPI_INT, got, 1, MPI_INT, graph);
    MPI_Comm_free(&graph);
}

static MPI_Comm line(int ranks, int periodic) {
    MPI_Comm made;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &made); /* A topology_too_large topology_sizes */
    return made;
}

static void topology_outside(void) {
    const int place = 2;
    int found;
    MPI_Comm made = line(2, right);
    MPI_Cart_rank(made, &place, &found); /* A topology_outside */
    MPI_Comm_free(&made);
}

static void topology_too_large(void) {
    MPI_Comm made = line(right ? 2 : 3, 0);
    MPI_Comm_free(&made);
}

/* The ranks do not give the same grid. */
static void topology_sizes(void) {
    MPI_Comm made = line(right ? 2 : 2 - rank, 0);
    if (made != MPI_COMM_NULL) {
        MPI_Comm_free(&made);
    }
}

static void topology_types(void) {
    int data[4] = {0}, got[4] = {0};
    MPI_Comm made = line(2, 0);
    /* A topology_types */
    MPI_Neighbor_alltoall(data, 1, right || rank == 0 ? MPI_INT : MPI_FLOAT, got, 1, MPI_INT, made);
    MPI_Comm_free(&made);
}

static void topology_lengths(void) {
    int data[4] = {0}, got[4] = {0};
    const int counts[2] = {1, 1}, places[2] = {0, 2}, more[2] = {2, 2};
    MPI_Comm made = line(2, 0);
    MPI_Request request;
    MPI_Ineighbor_allgatherv(data, right ? 1 : 2, MPI_INT, got,
                             right  ? counts
                             : rank ? counts
                                    : more,
                             places, MPI_INT, made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* A topology_lengths */
    MPI_Comm_free(&made);
}

/* Without a topology there are no neighbours. */
static void topology_none(void) {
    int data[2] = {0}, got[2] = {0};
    MPI_Comm made = line(2, 0);
    MPI_Neighbor_allgather(data, 1, MPI_INT, got, 1, MPI_INT,
                           right ? made : MPI_COMM_WORLD); /* A topology_none */
    MPI_Comm_free(&made);
}

const struct mistake topology_mistakes[] = {
    {"topology_one_sided", topology_one_sided, MPI_THREAD_SINGLE},
    {"topology_outside", topology_outside, MPI_THREAD_SINGLE},
    {"topology_too_large", topology_too_large, MPI_THREAD_SINGLE},
    {"topology_sizes", topology_sizes, MPI_THREAD_SINGLE},
    {"topology_types", topology_types, MPI_THREAD_SINGLE},
    {"topology_lengths", topology_lengths, MPI_THREAD_SINGLE},
    {"topology_none", topology_none, MPI_THREAD_SINGLE},
    {0},
};
