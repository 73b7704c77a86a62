/* SPDX-License-Identifier: Apache-2.0
 * Messages, collectives, jumps and memory as in any program, and a fault for a sanitizer that rank 2 alone
 * makes. A fault's line bears its name.
 */
#include <mpi.h>

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 100000, ROUNDS = 20 };

static int counter;
static jmp_buf place;

static void *count(void *unused) {
    for (int i = 0; i < 1000; ++i) {
        ++counter; /* race */
    }
    return unused;
}

static void start_two(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&two, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

/* Not to be seen through by the compiler. */
static int number(const char *text) {
    return atoi(text);
}

static int write_behind(char *memory, int index) {
    memory[index] = 1; /* overflow */
    return memory[0];
}

static int write_behind_local(int index) {
    char local[16];
    memset(local, 0, sizeof local);
    local[index] = 1; /* local */
    return local[1];
}

/* Far down, where no function leaves a copy of the address on the stack that is still in use. */
static int lose(int depth) {
    volatile char room[1024];
    room[depth] = 1;
    if (depth == 0) {
        char *const lost = malloc(77); /* leak */
        strcpy(lost, "lost");
        return lost[0];
    }
    return lose(depth - 1) + room[depth];
}

static int make_fault(const char *which) {
    int result = 0;
    if (strcmp(which, "overflow") == 0) {
        char *const memory = calloc(16, 1);
        result = write_behind(memory, number("16"));
        free(memory);
    } else if (strcmp(which, "local") == 0) {
        result = write_behind_local(number("16"));
    } else if (strcmp(which, "leak") == 0) {
        result = lose(50);
    } else if (strcmp(which, "undefined") == 0) {
        result = INT_MAX - 1;
        result += number("2"); /* undefined */
    } else if (strcmp(which, "race") == 0) {
        start_two();
    }
    return result;
}

/* What is noted about the stack must be that of the rank that runs. */
static void jump(int depth) {
    volatile char local[64];
    local[depth % 64] = 1;
    if (depth == 0) {
        longjmp(place, 1);
    }
    jump(depth - 1);
    local[0] = 2;
}

static int exchange(int rank, int size) {
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    int *const data = malloc(2 * LONG * sizeof *data), sum = 0, mine = 0, all = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const int length = round % 4 == 0 ? LONG : 1 + round;
        for (int i = 0; i < length; ++i) {
            data[i] = rank + round;
        }
        MPI_Request requests[2];
        MPI_Irecv(data + LONG, length, MPI_INT, last, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(data, length, MPI_INT, next, round, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        mine = data[LONG + length - 1];
        if (setjmp(place) == 0) {
            jump(5);
        }
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    free(data);
    return sum;
}

int main(int argc, char **argv) {
    int rank = 0, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *const kept = malloc(10); /* main's own variable knows it until the end */
    kept[0] = (char)rank;
    const int sum = exchange(rank, size);
    const int result = rank == 2 && argc > 1 ? make_fault(argv[1]) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d, %d\n", rank, sum, result != 7);
    MPI_Finalize();
    exit(kept[0] == rank ? 0 : 1);
}
