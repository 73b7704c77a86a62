/* SPDX-License-Identifier: Apache-2.0
 * A program whose ranks each use variables of every sort, for builds by several linkers and with several
 * options. With -DTHREADS also thread-local ones; with -DLARGE=bytes so many that are zero. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LARGE
#define LARGE 4096
#endif
#ifdef THREADS
#define LOCAL _Thread_local
#else
#define LOCAL
#endif

static LOCAL int counted = 7;
LOCAL int exported = 8;
static LOCAL int zero;
static char large[LARGE];
static const char *const names[] = {"none", "one", "two", "three"}; /* needs relocation */
static int constructed;
int weak_value __attribute__((weak)) = 5;

static int add(int value) {
    return value + counted;
}
static int (*const functions[])(int) = {add, add};

__attribute__((constructor)) static void construct(void) {
    constructed += 3;
}

int main(int argc, char **argv) {
    int rank = 0;
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    counted += rank;
    exported += rank;
    zero -= rank;
    weak_value += rank;
    large[0] = large[LARGE - 1] = (char)(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD); /* all have written by now */
    const int good = counted == 7 + rank && exported == 8 + rank && zero == -rank && weak_value == 5 + rank &&
                     constructed == 3 && large[0] == rank + 1 && large[LARGE - 1] == rank + 1 &&
                     large[LARGE / 2] == 0 && functions[rank % 2](1) == 8 + rank &&
                     strcmp(names[rank % 4], rank == 3   ? "three"
                                             : rank == 2 ? "two"
                                             : rank == 1 ? "one"
                                                         : "none") == 0;
    int all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d of %d are good\n", rank, all, size);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
