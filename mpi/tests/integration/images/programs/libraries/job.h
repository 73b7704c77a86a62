/* SPDX-License-Identifier: Apache-2.0
 * What the programs that use public libraries share: rank and size, and a line of results in each rank's
 * name. */
#ifndef LISLE_TEST_JOB_H
#define LISLE_TEST_JOB_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank;
static int size;
static char file_name[256]; /* of the rank's own, in the folder that the first argument names */

static inline void begin(int *count, char ***words) {
    MPI_Init(count, words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(file_name, sizeof file_name, "%s/file.%d", (*words)[1], rank);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void check(int good, const char *what) {
    if (!good) {
        printf("%d: %s failed\n", rank, what);
    }
}
#endif
