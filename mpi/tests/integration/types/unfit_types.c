/* SPDX-License-Identifier: Apache-2.0
 * Messages and collectives whose types do not fit, and some that look so and do. The first argument says
 * which, the second how the message is sent and received. Two ranks. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static int rank;
static const char *how;
static MPI_Datatype made_types[32];
static int made_count;

/* A structure of so many elements of each type, without gaps (packed) or with. */
static MPI_Datatype structure(int parts, const int lengths[], const MPI_Datatype types[], int gap) {
    MPI_Aint places[4];
    MPI_Aint place = 0;
    for (int i = 0; i < parts; ++i) {
        int size;
        MPI_Type_size(types[i], &size);
        places[i] = place;
        place += (MPI_Aint)size * lengths[i] + gap;
    }
    MPI_Datatype made, resized;
    MPI_Type_create_struct(parts, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, place, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&made);
    made_types[made_count++] = resized;
    return resized;
}

static MPI_Datatype two(MPI_Datatype first, MPI_Datatype second) {
    const int lengths[2] = {1, 1};
    const MPI_Datatype types[2] = {first, second};
    return structure(2, lengths, types, strcmp(how, "gaps") == 0 ? 4 : 0);
}

static void receive(void *to, int count, MPI_Datatype type) {
    if (strcmp(how, "late") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(how, "wait") == 0 || strcmp(how, "late") == 0) {
        MPI_Request request;
        MPI_Irecv(to, count, type, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(to, count, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void give(const void *from, int count, MPI_Datatype type) {
    MPI_Request request;
    if (strcmp(how, "synchronous") == 0) {
        MPI_Ssend(from, count, type, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Isend(from, count, type, 1, 5, MPI_COMM_WORLD, &request);
        if (strcmp(how, "late") == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static char memory[1 << 20];

/* From rank 0 to rank 1. */
static void message(int sent, MPI_Datatype given, int wanted, MPI_Datatype taken) {
    const int many = strcmp(how, "many") == 0 ? 20000 : 1;
    if (rank == 0) {
        give(memory, sent * many, given);
    } else {
        receive(memory, wanted * many, taken);
    }
}

static void user_sum(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)in, (void)inout, (void)count, (void)type;
}

static int is(const char *name, const char *asked) {
    return strcmp(name, asked) == 0;
}

/* Mistakes. */
static int make_mistake(const char *what) {
    const MPI_Datatype int_double = two(MPI_INT, MPI_DOUBLE);
    const MPI_Datatype double_int = two(MPI_DOUBLE, MPI_INT);
    const MPI_Datatype mine = rank == 0 ? int_double : double_int;
    char own[16] = {0};
    int counts[2] = {1, 1}, places[2] = {0, 1};
    if (is(what, "float_as_int")) {
        message(2, MPI_FLOAT, 2, MPI_INT);
    } else if (is(what, "structures")) {
        message(1, int_double, 1, double_int);
    } else if (is(what, "structure_as_int")) {
        message(1, int_double, 3, MPI_INT);
    } else if (is(what, "int_as_structure")) {
        message(3, MPI_INT, 1, int_double);
    } else if (is(what, "pair")) {
        message(1, MPI_FLOAT_INT, 2, MPI_INT);
    } else if (is(what, "cut")) {
        message(1, MPI_FLOAT, 1, double_int); /* ends within the double */
    } else if (is(what, "broadcast")) {
        MPI_Bcast(memory, 1, mine, 0, MPI_COMM_WORLD);
    } else if (is(what, "broadcast_ints")) {
        MPI_Bcast(memory, rank == 0 ? 1 : 3, rank == 0 ? int_double : MPI_INT, 0, MPI_COMM_WORLD);
    } else if (is(what, "allgather")) {
        MPI_Allgather(own, 1, mine, memory, 1, mine, MPI_COMM_WORLD);
    } else if (is(what, "lengths")) {
        counts[1] = 1 + rank;
        MPI_Allgatherv(own, counts[rank], MPI_INT, memory, counts, places, MPI_INT, MPI_COMM_WORLD);
    } else if (is(what, "gatherv")) {
        MPI_Gatherv(own, 1, rank == 0 ? MPI_INT : MPI_FLOAT, memory, counts, places, MPI_INT, 0,
                    MPI_COMM_WORLD);
    } else if (is(what, "allreduce")) {
        MPI_Op op;
        MPI_Op_create(user_sum, 1, &op);
        MPI_Allreduce(own, memory, 1, mine, op, MPI_COMM_WORLD);
    } else if (is(what, "ibroadcast")) {
        MPI_Request request;
        MPI_Ibcast(memory, 1, mine, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        return 0;
    }
    return 1;
}

/* What fits. */
static void do_right(void) {
    const MPI_Datatype int_double = two(MPI_INT, MPI_DOUBLE);
    const int lengths[4] = {1, 1, 1, 1};
    const MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
    const MPI_Datatype twice = structure(4, lengths, types, 0);
    const MPI_Datatype part = structure(3, lengths, types, 8);
    const MPI_Datatype with_bytes[2] = {MPI_INT, MPI_BYTE};
    const int eight[2] = {1, 8};
    const MPI_Datatype loose = structure(2, eight, with_bytes, 0);
    char own[64] = {0};
    int counts[2] = {1, 0}, places[2] = {0, 1};
    message(1, twice, 2, int_double);
    message(2, int_double, 1, twice);
    if (!is(how, "many")) {
        message(1, part, 5, int_double); /* ends within an element of the receive's, between two basic ones */
    }
    message(1, int_double, 1, loose);
    message(1, loose, 1, int_double);
    message(1, int_double, 12, MPI_BYTE);
    message(12, MPI_BYTE, 1, int_double);
    message(1, MPI_2INT, 2, MPI_INT);
    message(1, MPI_FLOAT_INT, 1, two(MPI_FLOAT, MPI_INT));
    message(0, MPI_FLOAT, 1, int_double);
    MPI_Bcast(memory, rank == 0 ? 2 : 1, rank == 0 ? int_double : twice, 0, MPI_COMM_WORLD);
    MPI_Bcast(memory, 0, rank == 0 ? int_double : MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Allgather(own, rank == 0 ? 2 : 1, rank == 0 ? int_double : twice, memory, 1, twice, MPI_COMM_WORLD);
    MPI_Allgatherv(own, counts[rank], rank == 0 ? int_double : MPI_CHAR, memory, counts, places, int_double,
                   MPI_COMM_WORLD);
    MPI_Gatherv(own, counts[rank], rank == 0 ? int_double : MPI_CHAR, memory, counts, places, int_double, 0,
                MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    how = argv[2];
    if (!make_mistake(argv[1])) {
        do_right();
    }
    while (made_count > 0) {
        MPI_Type_free(&made_types[--made_count]);
    }
    MPI_Finalize();
    return 0;
}
