/* SPDX-License-Identifier: Apache-2.0
 * The calls with large counts. */
#include "twins.h"

#include <stdlib.h>

static void count_truncated(void) {
    static short data[1000];
    if (rank == 0) {
        MPI_Send_c(data, 1000, MPI_SHORT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(data, right ? 1000 : 999, MPI_SHORT, 0, 5, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE); /* A count_truncated */
    }
}

/* Three thousand million do not fit an int: what is left is negative. */
static void count_overflow(void) {
    const MPI_Count many = (MPI_Count)3 << 30;
    MPI_Datatype all;
    if (right) {
        MPI_Type_contiguous_c(many, MPI_CHAR, &all);
    } else {
        MPI_Type_contiguous((int)many, MPI_CHAR, &all); /* A count_overflow */
    }
    MPI_Type_free(&all);
}

/* Made with counts that no int holds: the small calls cannot say them. */
static void count_of_contents(void) {
    MPI_Datatype all;
    int integers, addresses, types, combiner;
    MPI_Count many_integers, many_addresses, many_counts, many_types;
    MPI_Type_contiguous_c((MPI_Count)3 << 30, MPI_CHAR, &all);
    MPI_Type_get_envelope_c(all, &many_integers, &many_addresses, &many_counts, &many_types, &combiner);
    if (!right) {
        int some[2];
        MPI_Aint places[1];
        MPI_Datatype inner[1];
        MPI_Type_get_envelope(all, &integers, &addresses, &types, &combiner); /* A count_of_contents */
        MPI_Type_get_contents(all, 1, 0, 1, some, places, inner);
    }
    MPI_Type_free(&all);
}

/* The blocks of two ranks name the same place at the root. */
static void count_places_overlap(void) {
    int mine[2] = {rank, rank}, all[4] = {0};
    const MPI_Count counts[2] = {2, 2};
    const MPI_Aint places[2] = {0, right ? 2 : 1};
    MPI_Gatherv_c(mine, 2, MPI_INT, all, counts, places, MPI_INT, 0,
                  MPI_COMM_WORLD); /* A count_places_overlap */
}

static void count_no_room(void) {
    static int data[100];
    const MPI_Count bytes = (MPI_Count)sizeof data + (right ? MPI_BSEND_OVERHEAD : -8);
    void *const room = malloc((size_t)bytes), *back;
    MPI_Count size;
    MPI_Buffer_attach_c(room, bytes);
    if (rank == 0) {
        MPI_Bsend_c(data, 100, MPI_INT, 1, 5, MPI_COMM_WORLD); /* A count_no_room */
    } else {
        MPI_Recv_c(data, 100, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach_c(&back, &size);
    free(room);
}

static void count_lengths(void) {
    int mine[2] = {0}, all[4];
    MPI_Allgather_c(mine, right || rank == 0 ? 2 : 1, MPI_INT, all, 2, MPI_INT,
                    MPI_COMM_WORLD); /* A count_lengths */
}

const struct mistake count_mistakes[] = {
    {"count_truncated", count_truncated, MPI_THREAD_SINGLE},
    {"count_overflow", count_overflow, MPI_THREAD_SINGLE},
    {"count_of_contents", count_of_contents, MPI_THREAD_SINGLE},
    {"count_places_overlap", count_places_overlap, MPI_THREAD_SINGLE},
    {"count_no_room", count_no_room, MPI_THREAD_SINGLE},
    {"count_lengths", count_lengths, MPI_THREAD_SINGLE},
    {0},
};
