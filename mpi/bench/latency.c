/* SPDX-License-Identifier: Apache-2.0
 * Ping-pong between two ranks: the one-way time for each size, as the median over batches; of long messages
 * also from and to memory that MPI_Alloc_mem gives ("alloc_mem").
 *     latency [LONGEST [SHORTEST]] */
#include "bench.h"

enum { most_batches = 31, largest = 16777216, shortest_long = 16384 };

static int longest = largest, shortest = 0;

/* The sizes from `least` on that are wanted. */
static void measure(const char *name, int rank, char *out, char *in, int least) {
    static const int sizes[] = {0, 1, 8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
    memset(out, rank + 1, (size_t)largest);
    memset(in, 0, (size_t)largest);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const int size = sizes[s];
        if (size < least || size < shortest || size > longest)
            continue;
        const int count = size <= 4096      ? 2000
                          : size <= 65536   ? 300
                          : size <= 262144  ? 60
                          : size <= 4194304 ? 8
                                            : 3;
        const int batches = size <= 65536 ? most_batches : size <= 4194304 ? 15 : 5;
        double times[most_batches];
        bench_round_trips(rank, out, in, size, count);
        for (int i = 0; i < batches; ++i)
            times[i] = bench_round_trips(rank, out, in, size, count);
        if (rank == 0) {
            bench_result(name, size, bench_median(times, batches));
            if (size == 8)
                bench_sextiles(name, size, times, batches);
        }
    }
}

int main(int argc, char **argv) {
    const int rank = bench_begin(&argc, &argv, 2);
    if (argc > 1)
        longest = atoi(argv[1]);
    if (argc > 2)
        shortest = atoi(argv[2]);
    char *out = malloc((size_t)largest), *in = malloc((size_t)largest);
    measure("latency", rank, out, in, 0);
    free(out);
    free(in);
    MPI_Alloc_mem(largest, MPI_INFO_NULL, &out);
    MPI_Alloc_mem(largest, MPI_INFO_NULL, &in);
    measure("alloc_mem", rank, out, in, shortest_long);
    MPI_Free_mem(out);
    MPI_Free_mem(in);
    MPI_Finalize();
    return 0;
}
