/* SPDX-License-Identifier: Apache-2.0
 * A window that all ranks want at once: each locks the part of rank 0 exclusively, adds to a number there
 * with a get and a put, and unlocks. Seconds for one such turn, over the turns of all ranks. */
#include "bench.h"

enum { turns = 50, batches = 5 };

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bench_pin(rank, ranks);
    long *base;
    MPI_Win window;
    MPI_Win_allocate(4096, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    base[0] = 0;
    double times[batches];
    for (int b = 0; b < batches; ++b) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int i = 0; i < turns; ++i) {
            long held;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Get(&held, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
            MPI_Win_flush(0, window);
            ++held;
            MPI_Put(&held, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
            MPI_Win_unlock(0, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        times[b] = (MPI_Wtime() - start) / turns / ranks;
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    if (rank == 0 && base[0] != (long)turns * batches * ranks) {
        fprintf(stderr, "busy_window: %ld turns of %ld have counted\n", base[0],
                (long)turns * batches * ranks);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock(0, window);
    if (rank == 0)
        bench_result("busy_window", ranks, bench_median(times, batches));
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
