/* SPDX-License-Identifier: Apache-2.0
 * One-sided communication of two ranks, with a window of MPI_Win_allocate: rank 0 accesses the part of rank
 * 1, which waits in a barrier. 8 bytes with a flush each, bytes in a second of long transfers and, without
 * MPI, of memcpy between two buffers of the rank's, and an accumulate to a rank that computes for 50 ms and
 * calls nothing. */
#include "bench.h"

enum { batches = 31, longest = 4 << 20, busy_rounds = 5 };

static MPI_Win window;
static char *buffer, *copied;

static void put(int bytes) {
    MPI_Put(buffer, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, window);
}
static void get(int bytes) {
    MPI_Get(buffer, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, window);
}
static void copy(int bytes) {
    memcpy(copied, buffer, (size_t)bytes);
    __asm__ volatile("" : : : "memory");
}
static void fetch_and_op(int bytes) {
    const long one = 1;
    (void)bytes;
    MPI_Fetch_and_op(&one, buffer, MPI_LONG, 1, 0, MPI_SUM, window);
}
/* The median over batches of the time of one call, with its flush if it is one on the window. */
static double time_of(void (*call)(int), int bytes, int calls) {
    double times[batches];
    for (int b = -3; b < batches; ++b) {
        const double start = MPI_Wtime();
        for (int i = 0; i < calls; ++i) {
            call(bytes);
            if (call != copy)
                MPI_Win_flush(1, window);
        }
        if (b >= 0)
            times[b] = (MPI_Wtime() - start) / calls;
    }
    return bench_median(times, batches);
}

static void compute(double seconds) {
    volatile double sink = 1;
    for (const double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        for (int i = 0; i < 1000; ++i)
            sink = sink * 1.0000001;
}

/* Seconds for lock, accumulate and unlock while the owner computes. */
static double time_to_busy(int rank) {
    double times[busy_rounds];
    const long one = 1;
    for (int i = 0; i < busy_rounds; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            compute(0.05);
        } else {
            compute(0.005);
            const double start = MPI_Wtime();
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
            MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, window);
            MPI_Win_unlock(1, window);
            times[i] = MPI_Wtime() - start;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return rank == 0 ? bench_median(times, busy_rounds) : 0;
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    char *base;
    MPI_Win_allocate(longest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    memset(base, 0, longest);
    buffer = aligned_alloc(4096, longest);
    memset(buffer, 1, longest);
    copied = aligned_alloc(4096, longest);
    memset(copied, 1, longest);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        bench_result("put_flush", 8, time_of(put, 8, 500));
        bench_result("get_flush", 8, time_of(get, 8, 500));
        memset(buffer, 0, 8);
        put(8);
        MPI_Win_flush(1, window);
        bench_result("fetch_and_op", 8, time_of(fetch_and_op, 8, 500));
        bench_result("put_bandwidth", 1 << 16, (1 << 16) / time_of(put, 1 << 16, 20));
        bench_result("get_bandwidth", 1 << 16, (1 << 16) / time_of(get, 1 << 16, 20));
        bench_result("copy_bandwidth", 1 << 16, (1 << 16) / time_of(copy, 1 << 16, 20));
        bench_result("put_bandwidth", longest, longest / time_of(put, longest, 1));
        bench_result("get_bandwidth", longest, longest / time_of(get, longest, 1));
        bench_result("copy_bandwidth", longest, longest / time_of(copy, longest, 1));
        MPI_Win_unlock_all(window);
    }
    const double busy = time_to_busy(rank);
    if (rank == 0)
        bench_result("accumulate_to_busy", 8, busy);
    MPI_Win_free(&window);
    free(copied);
    free(buffer);
    MPI_Finalize();
    return 0;
}
