// SPDX-License-Identifier: Apache-2.0
// Jobs that have met and wait for each other, by name; with "late", jobs that only seem to.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm spawn(char *program, char *part, int count) {
    char *arguments[] = {part, NULL};
    MPI_Comm made;
    MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE);
    return made;
}

static void receive(MPI_Comm from, int tag) {
    int word;
    MPI_Recv(&word, 1, MPI_INT, 0, tag, from, MPI_STATUS_IGNORE);
}

/// Both jobs receive, and none sends.
static void crossed(MPI_Comm other, int rank, int is_child) {
    if (rank == 0)
        receive(other, 1);
    else if (is_child)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        receive(MPI_COMM_WORLD, 2);
}

/// Both jobs wait for their messages to be received. Messages have come before.
static void sending(MPI_Comm other, int rank) {
    int word = rank;
    if (rank == 0) {
        MPI_Sendrecv(&word, 1, MPI_INT, 0, 3, &word, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
        MPI_Ssend(&word, 1, MPI_INT, 0, 4, other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// All sleep for long, and then go on.
static void late(MPI_Comm other, int rank, int is_child) {
    int word = rank;
    for (int round = 0; round < 2; ++round) {
        if (rank == 0 && is_child) {
            sleep(2);
            MPI_Send(&word, 1, MPI_INT, 0, 5, other);
        } else if (rank == 0)
            receive(other, 5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/// Two jobs that were started apart. @param file where the server writes the name of its port
static MPI_Comm meet(int is_server, const char *file) {
    char port[MPI_MAX_PORT_NAME] = "", before[4096];
    MPI_Comm made;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(before, sizeof before, "%s.new", file);
    if (is_server && rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        FILE *const out = fopen(before, "w");
        fputs(port, out);
        fclose(out);
        rename(before, file);
    }
    if (is_server) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made);
        return made;
    }
    if (rank == 0) {
        FILE *in;
        while ((in = fopen(file, "r")) == NULL)
            usleep(10000);
        if (fgets(port, sizeof port, in) == NULL)
            port[0] = '\0';
        fclose(in);
    }
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made);
    return made;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    char *const part = argc > 1 ? argv[1] : "crossed";
    MPI_Comm other, child = MPI_COMM_NULL;
    int rank;
    MPI_Comm_get_parent(&other);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int is_child = other != MPI_COMM_NULL;
    if (argc > 2) { // PART FILE
        other = meet(strcmp(part, "server") == 0, argv[2]);
        crossed(other, rank, 0);
    } else if (strcmp(part, "last of three") == 0)
        receive(other, 1);
    else if (strcmp(part, "three") == 0) { // each waits for the one that it has met first
        if (!is_child)
            other = spawn(argv[0], part, 1);
        else
            child = spawn(argv[0], "last of three", 1);
        receive(other, 1);
    } else {
        if (!is_child)
            other = spawn(argv[0], part, 2);
        if (strcmp(part, "crossed") == 0)
            crossed(other, rank, is_child);
        else if (strcmp(part, "sending") == 0)
            sending(other, rank);
        else
            late(other, rank, is_child);
    }
    if (child != MPI_COMM_NULL)
        MPI_Comm_disconnect(&child);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
