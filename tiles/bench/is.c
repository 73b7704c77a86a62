/* SPDX-License-Identifier: Apache-2.0
 * IS: integers are sorted into buckets, one for each rank, five times: an allreduce of the buckets' sizes, an
 * alltoall of counts, an alltoallv of keys. Usage: is [keys of each rank] [times] */
#include "kernel.h"

#include <string.h>

static int rank, ranks;

static void count_before(const int *counts, int *before) {
    before[0] = 0;
    for (int i = 0; i < ranks; ++i) {
        before[i + 1] = before[i] + counts[i];
    }
}

static int sort_once(int round, int keys, int *total) {
    const size_t each = (size_t)ranks;
    int *const out = calloc(each, sizeof *out), *const in = calloc(each, sizeof *in);
    int *const from = calloc(each + 1, sizeof *from), *const to = calloc(each + 1, sizeof *to);
    int *const sizes = calloc(each, sizeof *sizes), *const next = calloc(each + 1, sizeof *next);
    int *const key = malloc((size_t)keys * sizeof *key), *const sent = malloc((size_t)keys * sizeof *sent);
    const int most = ranks * 1024; /* a bucket has 1,024 values */
    for (int i = 0; i < keys; ++i) {
        key[i] = (int)(most * random_of(((unsigned long)round * (unsigned long)ranks + (unsigned long)rank) *
                                            (unsigned long)keys +
                                        (unsigned long)i));
        ++out[key[i] / 1024];
    }
    count_before(out, from);
    memcpy(next, from, (each + 1) * sizeof *next);
    for (int i = 0; i < keys; ++i) {
        sent[next[key[i] / 1024]++] = key[i];
    }
    compute(10.0 * keys);
    MPI_Allreduce(out, sizes, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    count_before(in, to);
    int *const got = malloc((size_t)(to[ranks] + 1) * sizeof *got);
    MPI_Alltoallv(sent, out, from, MPI_INT, got, in, to, MPI_INT, MPI_COMM_WORLD);
    int right = to[ranks] == sizes[rank];
    for (int i = 0; i < to[ranks]; ++i) {
        right = right && got[i] / 1024 == rank;
    }
    compute(10.0 * to[ranks]);
    *total += to[ranks];
    free(out), free(in), free(from), free(to), free(sizes), free(next), free(key), free(sent), free(got);
    return right;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int keys = argc > 1 ? atoi(argv[1]) : 8192;
    const int rounds = argc > 2 ? atoi(argv[2]) : 5;
    int right = 1, total = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    for (int round = 0; round < rounds; ++round) {
        right = sort_once(round, keys, &total) && right;
    }
    long mine = total, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    report("is", begun, right && all == (long)rounds * keys * ranks);
    MPI_Finalize();
    return 0;
}
