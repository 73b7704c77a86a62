/* SPDX-License-Identifier: Apache-2.0
 * Windows of all ranks: seconds to make one and to free it, without memory of its own (MPI_Win_create over
 * memory of the program's), with (MPI_Win_allocate), and dynamic; and the bytes that a window takes for each
 * rank, from what the process holds after many have been made. Not pinned. */
#include "bench.h"
#include <malloc.h>

enum { batches = 11, kept = 32 };

static char memory[64]; /* of the process: ranks that share it only lend it */
static int ranks;

static void create(MPI_Win *window) {
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, window);
}
static void allocate(MPI_Win *window) {
    char *base;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, window);
}
static void dynamic(MPI_Win *window) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, window);
}

/* Reports medians over the batches; all ranks enter and leave together. */
static void measure(const char *name, void (*make)(MPI_Win *), int rank) {
    double made[batches], freed[batches];
    for (int b = -2; b < batches; ++b) {
        MPI_Win window;
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        make(&window);
        MPI_Barrier(MPI_COMM_WORLD);
        const double middle = MPI_Wtime();
        MPI_Win_free(&window);
        MPI_Barrier(MPI_COMM_WORLD);
        if (b >= 0) {
            made[b] = middle - start;
            freed[b] = MPI_Wtime() - middle;
        }
    }
    if (rank == 0) {
        char title[64];
        bench_result(name, ranks, bench_median(made, batches));
        snprintf(title, sizeof title, "%s_free", name);
        bench_result(title, ranks, bench_median(freed, batches));
    }
}

/* Bytes in use by the allocator, of this process. */
static double held(void) {
    const struct mallinfo2 now = mallinfo2();
    return (double)(now.uordblks + now.hblkhd);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    measure("win_create", create, rank);
    measure("win_allocate", allocate, rank);
    measure("win_create_dynamic", dynamic, rank);

    MPI_Win windows[kept];
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = held();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kept; ++i)
        create(&windows[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Where the ranks share a process, of all of them. */
    if (rank == 0)
        bench_result("win_bytes", ranks, (held() - before) / kept / ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kept; ++i)
        MPI_Win_free(&windows[i]);
    MPI_Finalize();
    return 0;
}
