/* SPDX-License-Identifier: Apache-2.0
 * Makes the error that its argument names, with the error handler that the second one names. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int value = 0, code = MPI_SUCCESS, error_class = -1, length = 0;
    char text[MPI_MAX_ERROR_STRING];
    if (strcmp(what, "early") == 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Init(&argc, &argv);
    if (argc > 2) {
        const MPI_Errhandler handler = strcmp(argv[2], "abort") == 0 ? MPI_ERRORS_ABORT : MPI_ERRORS_RETURN;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    }
    if (strcmp(what, "rank") == 0) {
        code = MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "count") == 0) {
        code = MPI_Send(&value, -3, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "tag") == 0) {
        code = MPI_Send(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD);
    } else if (strcmp(what, "type") == 0) {
        code = MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "comm") == 0) {
        code = MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    } else if (strcmp(what, "buffer") == 0) {
        code = MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "pointer") == 0) {
        code = MPI_Comm_rank(MPI_COMM_WORLD, NULL);
    } else if (strcmp(what, "root") == 0) {
        code = MPI_Bcast(&value, 1, MPI_INT, 5, MPI_COMM_WORLD);
    } else if (strcmp(what, "uncommitted") == 0) {
        MPI_Datatype pair;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        code = MPI_Send(&value, 1, pair, 0, 0, MPI_COMM_WORLD);
        MPI_Type_free(&pair);
    } else if (strcmp(what, "stale") == 0) {
        MPI_Comm old, copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        old = copy;
        MPI_Comm_free(&copy);
        code = MPI_Barrier(old);
    } else if (strcmp(what, "join") == 0) {
        MPI_Comm joined = MPI_COMM_NULL;
        code = MPI_Comm_join(-1, &joined);
    }
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text, &length);
    printf("class %d: %s\n", error_class, text);
    MPI_Finalize();
    return length == (int)strlen(text) ? 0 : 1;
}
