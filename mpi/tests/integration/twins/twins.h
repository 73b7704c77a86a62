/* SPDX-License-Identifier: Apache-2.0
 * Mistakes, each beside its correct twin: the same function does either. Comments mark the lines that a
 * report must name. */
#pragma once
#include <mpi.h>
#include <stddef.h>

/* What a mistake wants of main: a level of threads, or that MPI_Init is not called. */
enum { sessions_alone = -1 };

struct mistake {
    const char *name;
    void (*make)(void);
    int threads;
};

extern int rank;      /* in MPI_COMM_WORLD; not set where there are sessions alone */
extern int right;     /* the twin is asked for */
extern char *program; /* the name of its file */

/* Each ends with a row without a name. */
extern const struct mistake attribute_mistakes[], count_mistakes[], file_mistakes[], intercomm_mistakes[],
    partition_mistakes[], persistent_mistakes[], request_mistakes[], session_mistakes[], spawn_mistakes[],
    thread_mistakes[], topology_mistakes[], type_mistakes[], window_mistakes[];
