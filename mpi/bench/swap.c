/* SPDX-License-Identifier: Apache-2.0
 * A compare-and-swap and a flush, by rank 0 in the part of rank 1, which waits in a barrier. Apart from
 * `windows`, since Open MPI 4.1 does not survive it. */
#include "bench.h"

enum { batches = 31, calls = 500 };

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    long *base;
    MPI_Win window;
    MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        const long expected = 0, next = 0;
        long before;
        double times[batches];
        MPI_Win_lock_all(0, window);
        for (int b = -3; b < batches; ++b) {
            const double start = MPI_Wtime();
            for (int i = 0; i < calls; ++i) {
                MPI_Compare_and_swap(&next, &expected, &before, MPI_LONG, 1, 0, window);
                MPI_Win_flush(1, window);
            }
            if (b >= 0)
                times[b] = (MPI_Wtime() - start) / calls;
        }
        MPI_Win_unlock_all(window);
        bench_result("compare_and_swap", 8, bench_median(times, batches));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
