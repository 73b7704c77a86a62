/* SPDX-License-Identifier: Apache-2.0
 * The time of each collective for each size: median over batches of calls in a row, of which the slowest
 * rank counts. Rooted collectives change their root from call to call, so that no rank can run ahead.
 * The size is that of the vector (bcast and the reductions) or of one block (all others).
 * Buffers are full of other bytes than zero: processors that notice zeros stored over zeros move them at
 * twice the speed. Arguments: names of collectives (default: all), -l the largest size, -s one size only. */
#include "bench.h"

enum { most_batches = 41 };

static int rank, ranks;
static char *out, *in;
static int *counts, *places;

typedef void operation(int size, int root);

static void barrier(int size, int root) {
    (void)size, (void)root;
    MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(int size, int root) {
    MPI_Bcast(out, size, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void gather(int size, int root) {
    MPI_Gather(out, size, MPI_CHAR, in, size, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void gatherv(int size, int root) {
    MPI_Gatherv(out, size, MPI_CHAR, in, counts, places, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void scatter(int size, int root) {
    MPI_Scatter(out, size, MPI_CHAR, in, size, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void scatterv(int size, int root) {
    MPI_Scatterv(out, counts, places, MPI_CHAR, in, size, MPI_CHAR, root, MPI_COMM_WORLD);
}
static void allgather(int size, int root) {
    (void)root;
    MPI_Allgather(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
}
static void allgatherv(int size, int root) {
    (void)root;
    MPI_Allgatherv(out, size, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
}
static void alltoall(int size, int root) {
    (void)root;
    MPI_Alltoall(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
}
static void alltoallv(int size, int root) {
    (void)size, (void)root;
    MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
}
static void reduce(int size, int root) {
    MPI_Reduce(out, in, size / 8, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}
static void allreduce(int size, int root) {
    (void)root;
    MPI_Allreduce(out, in, size / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter_block(int size, int root) {
    (void)root;
    MPI_Reduce_scatter_block(out, in, size / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(int size, int root) {
    (void)root;
    MPI_Scan(out, in, size / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void exscan(int size, int root) {
    (void)root;
    MPI_Exscan(out, in, size / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    operation *call;
    int blocks; /* the size is that of a block for each rank */
} all[] = {
    {"barrier", barrier, 0},
    {"bcast", bcast, 0},
    {"gather", gather, 1},
    {"gatherv", gatherv, 1},
    {"scatter", scatter, 1},
    {"scatterv", scatterv, 1},
    {"allgather", allgather, 1},
    {"allgatherv", allgatherv, 1},
    {"alltoall", alltoall, 1},
    {"alltoallv", alltoallv, 1},
    {"reduce", reduce, 0},
    {"allreduce", allreduce, 0},
    {"scan", scan, 0},
    {"exscan", exscan, 0},
    {"reduce_scatter_block", reduce_scatter_block, 1},
};

/* Seconds for each of `calls` calls, at the slowest rank. */
static double batch(operation *call, int size, int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i)
        call(size, i % ranks);
    double mine = (MPI_Wtime() - start) / calls, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void measure(const char *name, operation *call, int size) {
    for (int i = 0; i < ranks; ++i) {
        counts[i] = size;
        places[i] = i * size;
    }
    /* As many calls as take about two milliseconds, as many batches as take about a tenth of a second. */
    const double once = batch(call, size, 3) + 1e-8;
    double guess = batch(call, size, once < 1e-4 ? 50 : 2) + 1e-8;
    MPI_Bcast(&guess, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int calls = (int)(2e-3 / guess);
    calls = calls < ranks ? ranks : calls > 5000 ? 5000 : calls;
    int batches = (int)(0.1 / (guess * calls));
    batches = batches < 5 ? 5 : batches > most_batches ? most_batches : batches;
    double times[most_batches];
    for (int i = 0; i < batches; ++i)
        times[i] = batch(call, size, calls);
    if (rank == 0)
        bench_result(name, size, bench_median(times, batches));
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 64, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 2097152, 8388608};
    int largest = 8388608, only = -1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], "-l") == 0)
            largest = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-s") == 0)
            largest = only = atoi(argv[i + 1]);
    }
    bench_pin(rank, ranks);
    /* Blocks for all ranks, as long as that leaves some memory to others. */
    const size_t most = (size_t)largest * (size_t)ranks < 33554432 ? (size_t)largest * (size_t)ranks
                        : (size_t)largest > 33554432               ? (size_t)largest
                                                                   : 33554432;
    out = malloc(most);
    in = malloc(most);
    counts = malloc((size_t)ranks * sizeof *counts);
    places = malloc((size_t)ranks * sizeof *places);
    memset(out, 0x3f, most);
    memset(in, 0x40, most);

    for (size_t c = 0; c < sizeof all / sizeof *all; ++c) {
        int wanted = 1;
        for (int i = 1; i < argc; ++i) {
            if (argv[i][0] == '-')
                ++i;
            else if (wanted == 1)
                wanted = strcmp(argv[i], all[c].name) == 0 ? 2 : 0;
            else if (wanted == 0 && strcmp(argv[i], all[c].name) == 0)
                wanted = 2;
        }
        if (wanted == 0)
            continue;
        if (all[c].call == barrier) {
            measure(all[c].name, barrier, 0);
            continue;
        }
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
            if (sizes[s] <= largest && (only < 0 || sizes[s] == only) &&
                (size_t)sizes[s] * (all[c].blocks ? (size_t)ranks : 1) <= most)
                measure(all[c].name, all[c].call, sizes[s]);
    }
    free(places);
    free(counts);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
