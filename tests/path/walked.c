/* SPDX-License-Identifier: Apache-2.0
 * What tools/walk watches: walked (send|receive|scattered|allreduce|put|put_near) CALLS PAUSE, on two ranks.
 * Rank 0 comes to each call when rank 1 waits for it already, or has sent what it receives: if PAUSE, in
 * microseconds, is long enough for that. The memory of
 * put_near is rank 0's own: valgrind has no address space for the memory that processes share, which is
 * accessed alike. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put(int target, int rank, long calls) {
    long *held = NULL;
    MPI_Win window;
    MPI_Win_allocate(sizeof *held, sizeof *held, MPI_INFO_NULL, MPI_COMM_WORLD, &held, &window);
    *held = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (long call = 0; rank == 0 && call < calls; ++call) {
        MPI_Put(&call, 1, MPI_LONG, target, 0, 1, MPI_LONG, window);
        MPI_Win_flush(target, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    const int wrong = rank == target && *held != calls - 1;
    MPI_Win_free(&window);
    return wrong;
}

/* Rank 1 sends when it is asked to, so that one message at a time arrives. */
static int receive(int rank, long calls, useconds_t pause) {
    int wrong = 0;
    for (int call = 0; call < calls; ++call) {
        int got = call;
        if (rank == 0) {
            MPI_Send(&call, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            usleep(pause);
            MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        wrong |= got != call;
    }
    return wrong;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const long calls = atol(argv[2]);
    const useconds_t pause = (useconds_t)atol(argv[3]);
    if (strncmp(argv[1], "put", strlen("put")) == 0) {
        const int wrong = put(strcmp(argv[1], "put") == 0 ? 1 : 0, rank, calls);
        MPI_Finalize();
        return wrong;
    }
    if (strcmp(argv[1], "receive") == 0) {
        const int wrong = receive(rank, calls, pause);
        MPI_Finalize();
        return wrong;
    }
    int two[4] = {1, 2, 3, 4}, wrong = 0;
    MPI_Datatype scattered;
    MPI_Type_vector(2, 1, 3, MPI_INT, &scattered);
    MPI_Type_commit(&scattered);
    for (long call = 0; call < calls; ++call) {
        if (rank == 0)
            usleep(pause);
        if (strcmp(argv[1], "allreduce") == 0) {
            const long own = call + rank;
            long sum = -1;
            MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            wrong |= sum != 2 * call + 1;
        } else if (rank == 1) {
            int got[2] = {-1, -1};
            MPI_Recv(got, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong |= got[0] != 1;
        } else if (strcmp(argv[1], "scattered") == 0) {
            MPI_Send(two, 1, scattered, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Send(two, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Type_free(&scattered);
    MPI_Finalize();
    return wrong;
}
