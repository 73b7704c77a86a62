/* SPDX-License-Identifier: Apache-2.0
 * An MPI program of which one rank ends in the way that the arguments name: rank_ends WAY RANK. The other
 * ranks wait for it in a receive, and print what they are. With some ways all ranks end well: `cores` prints
 * how many they may run on, `input` what they read, `arguments` how long further arguments are, with
 * `wrong_call` RANK sends to nobody, and with `starts` it runs the program with `asks`, which does not begin
 * MPI. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end(const char *way) {
    if (strcmp(way, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(way, "exit") == 0) {
        exit(5);
    } else if (strcmp(way, "exit0") == 0) {
        exit(0);
    } else if (strcmp(way, "fault") == 0) {
        volatile int *volatile nowhere =
            (volatile int *)16; /* volatile twice: so that it compiles without a warning */
        *nowhere = 1;
    } else if (strcmp(way, "signal") == 0) {
        raise(SIGKILL);
    } else if (strcmp(way, "abort_call") == 0) {
        abort();
    } else if (strcmp(way, "memory") == 0) {
        for (const size_t piece = 1 << 20;;) {
            memset(malloc(piece), 1, piece);
        }
    }
}

static int ends_well(const char *way) {
    static const char *const ways[] = {"finalize",  "after_finalize", "cores", "input",
                                       "arguments", "wrong_call",     "starts"};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if (strcmp(way, ways[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void show(const char *way, int rank, char **further) {
    if (strcmp(way, "cores") == 0) {
        cpu_set_t cores;
        sched_getaffinity(0, sizeof cores, &cores);
        printf("rank %d may use %d of the cores\n", rank, CPU_COUNT(&cores));
    } else if (strcmp(way, "input") == 0) {
        char line[100] = "nothing\n";
        if (fgets(line, sizeof line, stdin) == NULL && ferror(stdin)) {
            perror("fgets");
        }
        printf("rank %d reads %s", rank, line);
    } else if (strcmp(way, "arguments") == 0) {
        size_t bytes = 0;
        int count = 0;
        for (; further[count] != NULL; ++count) {
            bytes += strlen(further[count]);
        }
        printf("rank %d has %zu bytes in %d\n", rank, bytes, count);
    } else {
        printf("rank %d\n", rank);
    }
}

static int ask(void) {
    int initialized = -1, finalized = -1;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    printf("initialized %d, finalized %d\n", initialized, finalized);
    return 0;
}

static void start(const char *program) {
    char command[4096];
    snprintf(command, sizeof command, "%s asks 0", program);
    if (system(command) != 0) {
        puts("the program that asks has failed");
    }
}

int main(int argc, char **argv) {
    const char *const way = argc > 2 ? argv[1] : "finalize";
    const int who = argc > 2 ? atoi(argv[2]) : -1;
    int rank = 0;
    int token = 0;
    if (strcmp(way, "before_init") == 0 && getenv("LISLE_RANK") != NULL &&
        atoi(getenv("LISLE_RANK")) == who) {
        return 6;
    }
    if (strcmp(way, "no_init") == 0) {
        return 0;
    }
    if (strcmp(way, "asks") == 0) {
        return ask();
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!ends_well(way)) {
        if (rank == who) {
            end(way);
        }
        MPI_Recv(&token, 1, MPI_INT, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (strcmp(way, "wrong_call") == 0 && rank == who) {
        MPI_Send(&token, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
    }
    if (strcmp(way, "starts") == 0 && rank == who) {
        start(argv[0]);
    }
    show(way, rank, argv + (argc > 2 ? 3 : argc));
    MPI_Finalize();
    return strcmp(way, "after_finalize") == 0 && rank == who ? 3 : 0;
}
