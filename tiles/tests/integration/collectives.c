/* SPDX-License-Identifier: Apache-2.0
 * How many cycles of the modelled mesh collectives take: of each operation named, for each length of the
 * whole vector in bytes, from the time at which the first rank calls it until the last one has returned.
 * Checks the results.
 *
 * Usage: collectives MHZ OPERATION[,OPERATION]... BYTES[,BYTES]... */
#include <mpi.h>
#include <mpix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { word = sizeof(int), rounds = 8, most_late = 1000 };

static int rank, size;
static int wrong = 0;

static void expect(int value, int expected) {
    wrong += value != expected;
}

static int sum_of_ranks(void) {
    return size * (size - 1) / 2;
}

/* Each runs the operation once on a vector of `words`, of which each rank has a block if the operation is
 * about blocks, and checks the result. */
static void bcast(int *mine, int *all, int words, int root) {
    (void)all;
    for (int i = 0; i < words; ++i) {
        mine[i] = rank == root ? 3 * i : -1;
    }
    MPI_Bcast(mine, words, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < words; ++i) {
        expect(mine[i], 3 * i);
    }
}

static void fill(int *mine, int words) {
    for (int i = 0; i < words; ++i) {
        mine[i] = rank + i;
    }
}

static void reduce(int *mine, int *all, int words, int root) {
    fill(mine, words);
    MPI_Reduce(mine, all, words, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < words; ++i) {
        expect(all[i], sum_of_ranks() + i * size);
    }
}

static void allreduce(int *mine, int *all, int words, int root) {
    (void)root;
    fill(mine, words);
    MPI_Allreduce(mine, all, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < words; ++i) {
        expect(all[i], sum_of_ranks() + i * size);
    }
}

static void allgather(int *mine, int *all, int words, int root) {
    const int block = words / size;
    (void)root;
    fill(mine, block);
    MPI_Allgather(mine, block, MPI_INT, all, block, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < block * size; ++i) {
        expect(all[i], i / block + i % block);
    }
}

static void reduce_scatter(int *mine, int *all, int words, int root) {
    const int block = words / size;
    (void)root;
    fill(all, block * size);
    MPI_Reduce_scatter_block(all, mine, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < block; ++i) {
        expect(mine[i], sum_of_ranks() + (rank * block + i) * size);
    }
}

static const struct {
    const char *name;
    void (*run)(int *, int *, int, int);
} operations[] = {{"bcast", bcast},
                  {"reduce", reduce},
                  {"allreduce", allreduce},
                  {"allgather", allgather},
                  {"reduce_scatter", reduce_scatter}};

/* Ranks come to a call at different times, in each round at others: else what is measured is one case, in
 * which interrupts happen to meet well or badly. */
static void come_late(int round) {
    const unsigned mixed = ((unsigned)rank * 2654435761U) ^ ((unsigned)round * 2246822519U);
    MPIX_Tile_compute((mixed >> 7) % most_late);
}

/* Known to rank 0: the time between the first rank's call and the last one's return. The times are gathered,
 * so that no operation that is measured, which a setting may change, takes part in it. */
static double took(double begin, double end, double *times) {
    const double own[] = {begin, end};
    MPI_Gather(own, 2, MPI_DOUBLE, times, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int each = 0; rank == 0 && each < size; ++each) {
        begin = times[2 * each] < begin ? times[2 * each] : begin;
        end = times[2 * each + 1] > end ? times[2 * each + 1] : end;
    }
    return end - begin;
}

/* The mean of some rounds, each with another root. */
static void measure(const char *name, void (*run)(int *, int *, int, int), int bytes, double mhz) {
    const int words = bytes / word;
    int *const mine = malloc((size_t)bytes + word);
    int *const all = malloc((size_t)bytes + (size_t)size * word);
    double *const times = malloc((size_t)size * 2 * sizeof *times);
    double total = 0;
    /* In the first round ranks find out what the communicator remembers. */
    for (int round = -1; round < rounds; ++round) {
        double begin, lasted;
        MPI_Barrier(MPI_COMM_WORLD);
        come_late(round);
        begin = MPI_Wtime();
        run(mine, all, words, (size / 2 + 5 * (round + 1)) % size);
        lasted = took(begin, MPI_Wtime(), times);
        total += round >= 0 ? lasted : 0;
    }
    if (rank == 0) {
        printf("%s %d %.0f\n", name, bytes, total / rounds * mhz * 1e6);
    }
    free(mine);
    free(all);
    free(times);
}

static int named(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *found = strstr(list, name); found != NULL; found = strstr(found + 1, name)) {
        if ((found == list || found[-1] == ',') && (found[length] == ',' || found[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    int all_wrong;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc == 4 && i < sizeof operations / sizeof operations[0]; ++i) {
        if (named(argv[2], operations[i].name)) {
            for (const char *bytes = argv[3]; bytes != NULL; bytes = strchr(bytes, ',')) {
                bytes += *bytes == ',';
                measure(operations[i].name, operations[i].run, atoi(bytes), atof(argv[1]));
            }
        }
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && (all_wrong != 0 || argc != 4)) {
        printf("%d results are wrong\n", all_wrong);
    }
    MPI_Finalize();
    return all_wrong != 0 || argc != 4;
}
