/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a job on several hosts: exchange data whose values are known, and end as the first argument says.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, errors;

static int value_at(int from, long index) {
    return (int)(from * 7919 + index * 31);
}

static void check(int wanted, int found, const char *what) {
    if (wanted != found) {
        ++errors;
        fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, found, wanted);
    }
}

/* From each rank to each, of a length that is short, long, and read from the sender's memory. */
static void exchange(long length) {
    int *sent = malloc((size_t)length * sizeof(int));
    int *got = malloc((size_t)length * sizeof(int));
    for (long i = 0; i < length; ++i) {
        sent[i] = value_at(rank, i);
    }
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        const int from = (rank - step + size) % size;
        memset(got, 0, (size_t)length * sizeof(int));
        MPI_Sendrecv(sent, (int)length, MPI_INT, to, step, got, (int)length, MPI_INT, from, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < length; ++i) {
            if (got[i] != value_at(from, i)) {
                check(value_at(from, i), got[i], "an element of a message");
                break;
            }
        }
    }
    free(sent);
    free(got);
}

static void use_collectives_and_windows(void) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(size * (size - 1) / 2, sum, "the sum of all ranks");
    int named = rank == size - 1 ? 4711 : 0;
    MPI_Bcast(&named, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    check(4711, named, "what the last rank has told");
    int *cell = NULL;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
    *cell = -1;
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    check((rank - 1 + size) % size, *cell, "what the rank before has put");
    MPI_Win_free(&window);
}

static void read_all_input(void) {
    static char piece[65536];
    unsigned long bytes = 0, sum = 0;
    for (size_t some = 0; (some = fread(piece, 1, sizeof piece, stdin)) != 0; bytes += some) {
        for (size_t i = 0; i < some; ++i) {
            sum = sum * 31 + (unsigned char)piece[i];
        }
    }
    printf("rank %d has read %lu bytes, %lu\n", rank, bytes, sum);
}

/* A rank ends, and the others have nothing to do with it but wait. */
static void wait_for_end_of(int lost) {
    if (rank == lost) {
        usleep(300000);
        raise(SIGKILL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int class = MPI_SUCCESS, value = 0;
    MPI_Error_class(MPI_Recv(&value, 1, MPI_INT, lost, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
    printf("rank %d %s\n", rank, class == MPIX_ERR_PROC_FAILED ? "knows" : "has got something else");
    MPI_Finalize();
}

int main(int count, char **words) {
    const char *const what = count > 1 ? words[1] : "";
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int is_last = rank == size - 1;
    if (strcmp(what, "survive") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS) {
            usleep(1000);
        }
        MPIX_Comm_revoke(MPI_COMM_WORLD);
        MPI_Comm rest;
        MPIX_Comm_shrink(MPI_COMM_WORLD, &rest);
        MPI_Comm_size(rest, &size);
        printf("rank %d is one of %d survivors\n", rank, size);
        MPI_Finalize();
        return 0;
    }
    if (strcmp(what, "lose") == 0) {
        wait_for_end_of(atoi(words[2]));
        return 0;
    }
    exchange(5);
    exchange(3000);
    exchange(200000);
    use_collectives_and_windows();
    printf("rank %d of %d: %d errors, colour %s\n", rank, size, errors,
           getenv("COLOUR") ? getenv("COLOUR") : "none");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "wait") == 0) {
        printf("all wait\n");
        fflush(stdout);
        pause();
    } else if (strcmp(what, "die") == 0 && is_last) {
        raise(SIGKILL);
    } else if (strcmp(what, "abort") == 0 && is_last) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(what, "read") == 0) {
        read_all_input();
    } else if (strcmp(what, "print") == 0) {
        for (int i = 0; i < 20000; ++i) {
            printf("<%d> line %d of a rank that prints much\n", rank, i);
        }
    } else if (strcmp(what, "half") == 0) { /* rank 1 works, and the others wait for it */
        if (rank == 1) {
            printf("all wait\n");
            fflush(stdout);
            pause();
        }
        MPI_Recv(&errors, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(what, "receive") == 0) {
        MPI_Recv(&errors, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    if (strcmp(what, "linger") == 0) {
        printf("all wait\n");
        fflush(stdout);
        pause();
    }
    return errors != 0 ? 1 : strcmp(what, "code") == 0 && is_last ? 5 : 0;
}
