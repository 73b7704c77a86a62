/* SPDX-License-Identifier: Apache-2.0
 * Makes the mistake that the first argument names, or with a second one does the same correctly. */
#include "twins.h"

#include <string.h>

int rank;
int right;
char *program;

static const struct mistake *const tables[] = {
    attribute_mistakes,  count_mistakes,   file_mistakes,    intercomm_mistakes, partition_mistakes,
    persistent_mistakes, request_mistakes, session_mistakes, spawn_mistakes,     thread_mistakes,
    topology_mistakes,   type_mistakes,    window_mistakes,
};

static const struct mistake *find(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        for (const struct mistake *row = tables[i]; row->name != NULL; ++row) {
            if (strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    const struct mistake *const asked = argc > 1 ? find(argv[1]) : NULL;
    if (asked == NULL) {
        return 2;
    }
    right = argc > 2;
    program = argv[0];
    if (asked->threads == sessions_alone) {
        asked->make();
        return 0;
    }
    int granted;
    MPI_Init_thread(&argc, &argv, asked->threads, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    asked->make();
    int over;
    MPI_Finalized(&over);
    return over ? 0 : MPI_Finalize();
}
