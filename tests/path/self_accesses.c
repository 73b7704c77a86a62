/* SPDX-License-Identifier: Apache-2.0
 * Accesses 8 bytes of its own window, each with a flush: self_accesses COUNT. What the calls cost is
 * counted from outside, see check_budget. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int right(char access, long count, volatile long *held, MPI_Win window) {
    long out = 1, in = -1;
    *held = 0;
    for (long i = 0; i < count; ++i) {
        if (access == 'p') {
            out = i;
            MPI_Put(&out, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
        } else if (access == 'g') {
            MPI_Get(&in, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
        } else {
            MPI_Fetch_and_op(&out, &in, MPI_LONG, 0, 0, MPI_SUM, window);
        }
        MPI_Win_flush(0, window);
        if (access == 'p' ? *held != i : in != (access == 'g' ? 0 : i))
            return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    long *held = NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(sizeof *held, sizeof *held, MPI_INFO_NULL, MPI_COMM_SELF, &held, &window);
    MPI_Win_lock_all(0, window);
    int all_right = 1;
    for (const char *access = "pgf"; *access != 0; ++access) /* put, get, fetch */
        for (int counted = 0; counted < 2; ++counted) {      /* the first time some things happen once */
            all_right &= right(*access, atol(argv[1]), held, window);
            MPI_Wtime(); /* ends a part of what is counted */
        }
    MPI_Win_unlock_all(window);
    if (!all_right)
        fprintf(stderr, "self_accesses: the window holds something else\n");
    MPI_Win_free(&window);
    MPI_Finalize();
    return !all_right;
}
