/* SPDX-License-Identifier: Apache-2.0
 * Mistakes that LISLE_CHECK=1 names. The argument says which one this program of two ranks makes. */
#include <mpi.h>
#include <string.h>

static int rank;

static void unreceived(void) {
    int data[2] = {0};
    if (rank == 0) {
        MPI_Send(data, 2, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
}

/* Late: the message is there before its receive is posted. */
static void other_type(int late) {
    int number = 0;
    float sum = 0;
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
    } else {
        MPI_Request request;
        if (late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Irecv(&sum, 1, MPI_FLOAT, 0, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void other_form(void) {
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void bytes(void) {
    int number = 0;
    char raw[sizeof number];
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else {
        MPI_Recv(raw, sizeof raw, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void types_of_collective(void) {
    int data[1] = {0};
    MPI_Bcast(data, 1, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void other_collective(void) {
    int data = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
        MPI_Ibcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "bytes";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "unreceived") == 0) {
        unreceived();
    } else if (strcmp(how, "other_type") == 0 || strcmp(how, "other_type_late") == 0) {
        other_type(strcmp(how, "other_type_late") == 0);
    } else if (strcmp(how, "types_of_collective") == 0) {
        types_of_collective();
    } else if (strcmp(how, "other_collective") == 0) {
        other_collective();
    } else if (strcmp(how, "other_form") == 0) {
        other_form();
    } else {
        bytes();
    }
    MPI_Finalize();
    return 0;
}
