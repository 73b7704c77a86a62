/* SPDX-License-Identifier: Apache-2.0
   Ranks 1 to 3 send to rank 0, which takes their messages in all the ways that a record follows, and prints
   in which order it has got them in each, and what a look finds that may find nothing. With an argument
   another thing: program: which program of the job each rank runs; spawn: a job is started; time: rank 0
   looks for a minute, and then gives up. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
enum way { sendrecv, sendrecv_replace, isendrecv, probe, mprobe, iprobe, improbe, ways };

static int take(enum way how) {
    int value = 0, flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    switch (how) {
    case sendrecv:
        MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_ANY_SOURCE, how, WORLD,
                     &status);
        break;
    case sendrecv_replace:
        MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_ANY_SOURCE, how, WORLD, &status);
        break;
    case isendrecv:
        MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_ANY_SOURCE, how, WORLD,
                      &request);
        MPI_Wait(&request, &status);
        break;
    case probe:
        MPI_Probe(MPI_ANY_SOURCE, how, WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, how, WORLD, &status);
        break;
    case mprobe:
        MPI_Mprobe(MPI_ANY_SOURCE, how, WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        break;
    case iprobe:
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, how, WORLD, &flag, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, how, WORLD, &status);
        break;
    case improbe:
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, how, WORLD, &flag, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        break;
    case ways:
        break;
    }
    return value;
}

static void tell_programs(int rank, int size) {
    int *number, found, all[16];
    MPI_Comm_get_attr(WORLD, MPI_APPNUM, &number, &found);
    MPI_Gather(number, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
    for (int each = 0; rank == 0 && each < size; ++each)
        printf("%d%s", all[each], each + 1 < size ? " " : "\n");
}

int main(int count, char **words) {
    int rank, size, seen;
    MPI_Init(&count, &words);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (count > 1) {
        MPI_Comm others;
        const double begin = MPI_Wtime();
        if (strcmp(words[1], "program") == 0)
            tell_programs(rank, size);
        else if (strcmp(words[1], "time") == 0)
            for (seen = 0; rank == 0 && !seen && MPI_Wtime() < begin + 60;)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, WORLD, &seen, MPI_STATUS_IGNORE);
        else
            MPI_Comm_spawn(words[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &others, MPI_ERRCODES_IGNORE);
        MPI_Finalize();
        return 0;
    }
    for (int how = 0; how < ways; ++how) {
        for (int from = 1; rank == 0 && from < size; ++from)
            printf("%d", take(how));
        if (rank == 0)
            printf(" ");
        else
            MPI_Send(&rank, 1, MPI_INT, 0, how, WORLD);
    }
    if (rank == 0) {
        MPI_Iprobe(MPI_ANY_SOURCE, ways, WORLD, &seen, MPI_STATUS_IGNORE);
        printf("%s\n", seen ? "seen" : "not seen");
        for (int from = 1; from < size; ++from)
            MPI_Recv(&seen, 1, MPI_INT, MPI_ANY_SOURCE, ways, WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, ways, WORLD);
    }
    MPI_Finalize();
    return 0;
}
