/* SPDX-License-Identifier: Apache-2.0
 * Makes one object of each sort and more; with the argument "leak" it frees only some of them. Every rank
 * frees what it has in other ways, too: requests by waiting, testing and freeing, in arrays and alone. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>

static int keep(MPI_Comm comm, int keyval, void *value, void *state) {
    (void)comm, (void)keyval, (void)value, (void)state;
    return MPI_SUCCESS;
}
static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)in, (void)inout, (void)count, (void)type;
}
static void handle(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
}
static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int release(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}
/* The way to free something at the end that the standard names: an attribute of MPI_COMM_SELF. */
static int free_type(MPI_Comm comm, int keyval, void *value, void *state) {
    (void)comm, (void)keyval, (void)state;
    return MPI_Type_free(value);
}

/* Requests that end in every way there is. */
static void complete_requests(int rank) {
    int in[6], out[6] = {0}, index, flag, indices[6], count;
    MPI_Request requests[6], one;
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 3; ++i) {
            MPI_Irecv(&in[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
            MPI_Isend(&out[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[3 + i]);
        }
        switch (round) {
        case 0:
            MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
            break;
        case 1:
            for (int i = 0; i < 6; ++i)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int i = 0; i < 6; ++i)
                do
                    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                while (!flag);
            break;
        case 3:
            for (int i = 0; i < 6; ++i)
                MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
            break;
        case 4:
            for (int done = 0; done < 6; done += count)
                MPI_Waitsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
            break;
        default:
            do
                MPI_Testall(6, requests, &flag, MPI_STATUSES_IGNORE);
            while (!flag);
        }
    }
    MPI_Send_init(out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &one);
    MPI_Request_free(&one);
    MPI_Ibarrier(MPI_COMM_SELF, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Message message;
    MPI_Isend(out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &one);
    MPI_Mprobe(rank, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const int leak = argc > 1 && strcmp(argv[1], "leak") == 0;
    int rank, in = 0, out = 0, keyval, at_end;
    MPI_Info info, early;
    MPI_Info_create(&early); /* allowed before MPI_Init */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    complete_requests(rank);

    MPI_Comm halo, split, none;
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &split);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
    MPI_Group group, empty;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_difference(group, group, &empty);
    MPI_Datatype column, *last = &(MPI_Datatype){MPI_DATATYPE_NULL}, real, parts[1];
    MPI_Type_vector(3, 1, 7, MPI_DOUBLE, &column);
    MPI_Type_set_name(column, "column");
    MPI_Type_commit(&column);
    MPI_Type_create_f90_real(12, 30, &real); /* not to be freed */
    MPI_Type_dup(column, last);
    int integers[1];
    MPI_Aint addresses[1];
    MPI_Type_get_contents(*last, 0, 0, 1, integers, addresses, parts);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_type, &at_end, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, at_end, last);
    MPI_Comm_free_keyval(&at_end);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Errhandler handler, got;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(split, handler);
    MPI_Comm_get_errhandler(split, &got);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, keep, &keyval, NULL);
    MPI_Info_create(&info);
    MPI_Request requests[3], persistent, general;
    static int received[3];
    for (int i = 0; i < 3; ++i)
        MPI_Irecv(&received[i], 1, MPI_INT, rank, 100 + i, halo, &requests[i]);
    for (int i = 0; i < 3; ++i)
        MPI_Send(&out, 1, MPI_INT, rank, 100 + i, halo);
    MPI_Recv_init(&in, 1, MPI_INT, MPI_PROC_NULL, 0, halo, &persistent);
    MPI_Grequest_start(query, release, cancel, NULL, &general);
    MPI_Grequest_complete(general);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);

    MPI_Session_finalize(&session); /* the launcher complains of programs that do not */
    if (!leak || rank == 1) {
        MPI_Wait(&general, MPI_STATUS_IGNORE);
        MPI_Request_free(&persistent);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Info_free(&info);
        MPI_Comm_free_keyval(&keyval);
        MPI_Errhandler_free(&got);
        MPI_Errhandler_free(&handler);
        MPI_Op_free(&op);
        MPI_Type_free(&parts[0]);
        MPI_Type_free(&column);
        MPI_Group_free(&group);
    }
    if (!leak) {
        MPI_Comm_free(&halo);
        MPI_Comm_disconnect(&split);
    }
    if (!leak || rank == 1)
        MPI_Info_free(&early);
    MPI_Finalize();
    return 0;
}
