/* SPDX-License-Identifier: Apache-2.0
 * A program to be debugged: variables of all kinds, calls in another file, ranks that wait, ranks that crash.
 */
#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int elsewhere;
int bump(int rank);

int counter;
static int hidden;
#ifdef WITH_THREAD_LOCALS
static __thread int own = 1;
#else
static int own = 1;
#endif

/* Lisle's own code has functions of this name. */
static void run(int rank) {
    counter = 100 + rank;
    hidden = 200 + rank;
    own += 300 + rank;
    elsewhere = bump(rank);
}

static void last(int rank) {
    elsewhere = 7000 + rank;
}

static int deeper(volatile char *above, int level) {
    volatile char room[4096];
    room[0] = above[0];
    return level < 0 ? 0 : 1 + deeper(room, level + 1) + room[0];
}

static void on_fault(int signal) {
    _exit(signal == SIGSEGV ? 0 : 9);
}

static void crash(const char *how) {
    if (strcmp(how, "fault") == 0) {
        *(volatile int *)8 = 1;
    } else if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "divide") == 0) {
        volatile int zero = 0;
        counter /= zero;
    } else if (strcmp(how, "overflow") == 0) {
        char first = 0;
        counter = deeper(&first, 0);
    } else if (strcmp(how, "handled") == 0) {
        signal(SIGSEGV, on_fault);
        *(volatile int *)8 = 1;
    }
}

int main(int argc, char **argv) {
    int rank = 0, value = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD); /* the images of all ranks are there before any stops */
    run(rank);
    last(rank);
    if (argc > 2) {
        if (rank == 1) {
            MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2) {
            char ready[4096];
            snprintf(ready, sizeof ready, "%s.ready", argv[2]);
            close(open(ready, O_WRONLY | O_CREAT, 0600));
            while (access(argv[2], F_OK) != 0) { /* until all others are in their receives */
                usleep(20000);
            }
            crash(argv[1]);
        }
        MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody ends before all have been seen */
    MPI_Finalize();
    return 0;
}
