/* SPDX-License-Identifier: Apache-2.0
   Memory in each way that MPI gives it, and what reaches it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 20 };

static int rank, size;

/* Puts its rank into the next rank's part, and looks at its own. */
static void use(MPI_Win win, int *own) {
    int found;
    *own = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    found = *own;
    if (found != (rank + size - 1) % size) {
        fprintf(stderr, "rank %d found %d\n", rank, found);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv) {
    void *memory;
    MPI_Win win;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    use(win, memory);
    MPI_Win_allocate_shared(BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    use(win, memory);
    MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, BYTES, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use(win, memory);
    memset(memory, rank, BYTES);
    MPI_Bcast(memory, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Free_mem(memory);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    printf("rank %d\n", rank);
    return MPI_Finalize();
}
