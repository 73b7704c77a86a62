/* SPDX-License-Identifier: Apache-2.0
 * Datatypes and operations. */
#include "twins.h"

static void pass(void *data, int length, MPI_Datatype type) {
    if (rank == 0) {
        MPI_Send(data, length, type, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, length, type, 0, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* A type_overlaps type_host_variable */
    }
}

static void type_not_committed(void) {
    int data[4] = {0};
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (right) {
        MPI_Type_commit(&pair);
    }
    MPI_Bcast(data, 2, pair, 0, MPI_COMM_WORLD); /* A type_not_committed */
    MPI_Type_free(&pair);
}

static void type_freed(void) {
    int data[4] = {0};
    MPI_Datatype pair, copy;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    copy = pair;
    if (!right) {
        MPI_Type_free(&pair);
    }
    MPI_Bcast(data, 2, copy, 0, MPI_COMM_WORLD); /* A type_freed */
    if (right) {
        MPI_Type_free(&pair);
    }
}

static void type_outside_array(void) {
    const int sizes[2] = {4, 4}, parts[2] = {2, 2}, starts[2] = {right ? 2 : 3, 0};
    MPI_Datatype part;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &part); /* A type_outside_array */
    MPI_Type_free(&part);
}

static void type_no_such_result(void) {
    int data[2] = {rank, rank}, got[2];
    MPI_Allreduce(data, got, 1, right ? MPI_2INT : MPI_INT, MPI_MINLOC,
                  MPI_COMM_WORLD); /* A type_no_such_result */
}

/* Indices that name an element twice. */
static void type_overlaps(void) {
    int data[8] = {0};
    const int lengths[3] = {1, 1, 1}, places[3] = {0, 3, right ? 5 : 3};
    MPI_Datatype some;
    MPI_Type_indexed(3, lengths, places, MPI_INT, &some);
    MPI_Type_commit(&some);
    pass(data, 1, some);
    MPI_Type_free(&some);
}

static void type_unpacked_beyond(void) {
    char bytes[64];
    int numbers[4] = {1, 2, 3, 4}, at = 0, from = 0;
    MPI_Pack(numbers, 2, MPI_INT, bytes, sizeof bytes, &at, MPI_COMM_SELF);
    MPI_Unpack(bytes, at, &from, numbers, right ? 2 : 3, MPI_INT, MPI_COMM_SELF); /* A type_unpacked_beyond */
}

static void type_of_processes(void) {
    const int sizes[1] = {8}, how[1] = {MPI_DISTRIBUTE_BLOCK}, default_size[1] = {MPI_DISTRIBUTE_DFLT_DARG};
    const int processes[1] = {right ? 2 : 3};
    MPI_Datatype part;
    MPI_Type_create_darray(2, rank, 1, sizes, how, default_size, processes, MPI_ORDER_C, MPI_INT,
                           &part); /* A type_of_processes */
    MPI_Type_free(&part);
}

/* The bytes fit, the variable does not. */
static double field[4];
static void type_host_variable(void) {
    pass(field, right ? 4 : 8, right ? MPI_DOUBLE : MPI_INT);
}

const struct mistake type_mistakes[] = {
    {"type_not_committed", type_not_committed, MPI_THREAD_SINGLE},
    {"type_freed", type_freed, MPI_THREAD_SINGLE},
    {"type_outside_array", type_outside_array, MPI_THREAD_SINGLE},
    {"type_no_such_result", type_no_such_result, MPI_THREAD_SINGLE},
    {"type_overlaps", type_overlaps, MPI_THREAD_SINGLE},
    {"type_unpacked_beyond", type_unpacked_beyond, MPI_THREAD_SINGLE},
    {"type_of_processes", type_of_processes, MPI_THREAD_SINGLE},
    {"type_host_variable", type_host_variable, MPI_THREAD_SINGLE},
    {0},
};
