/* SPDX-License-Identifier: Apache-2.0
 * Rank 0 looks for a word of shared memory that rank 1 writes, without a call that lets rank 1 run; after
 * some seconds it gives up. `spin politely` offers the core meanwhile. With `spin deaf`, of 4 ranks, rank 0
 * only blocks all signals and stays, and then rank 2 stays, too. */
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ThreadSanitizer's own code, in which an instrumented load spends its time, has no line of this program. */
__attribute__((noinline, no_sanitize("thread"))) static void look(const atomic_int *word) {
    for (int looks = 0; looks < 1000000 && *word == 0; ++looks) {
    }
}

/* By calls of the kernel, which know of no fibers. */
static void block_signals(void) {
    const unsigned long all = ~0UL;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
}
static void stay(double seconds, int politely) {
    const struct timespec moment = {0, 20000000};
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
        syscall(SYS_nanosleep, &moment, NULL);
        if (politely) {
            sched_yield();
        }
    }
}

static void be_deaf(int rank) {
    if (rank == 0) {
        block_signals();
        stay(8, 0);
    } else if (rank >= 2) {
        stay(3, 1); /* so that rank 0 is asked first */
        stay(4, rank == 3);
    }
}

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "deaf") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        be_deaf(rank);
        MPI_Finalize();
        return 0;
    }
    atomic_int *word = NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *word : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&word,
                            &window);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window, 0, &bytes, &unit, (void *)&word);
    if (rank == 0) {
        *word = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        const double end = MPI_Wtime() + 5;
        while (*word == 0 && MPI_Wtime() < end) {
            look(word);
            if (strcmp(how, "politely") == 0) {
                sched_yield();
            }
        }
        printf("%s\n", *word != 0 ? "seen" : "not seen");
    } else if (rank == 1) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *word = 1;
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
