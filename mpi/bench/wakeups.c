/* SPDX-License-Identifier: Apache-2.0
 * More processes than cores: a barrier and a reduction of 8 bytes, beside a barrier that consists of the
 * wake-ups that any such operation needs. In it every rank but the last sleeps on one futex, and the last one
 * wakes all. Each figure is the median of rounds in turns; "of_bare" is the median of what a round's figure
 * is divided by the bare barrier of the same round. For ranks that are processes or threads (fibers would
 * block each other). Not pinned. */
#include "bench.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { rounds = 15, operations = 3 };

static struct { unsigned arrived, passed; } * shared; /* by all ranks */
static int rank, ranks;

static void bare(void) {
    const unsigned before = __atomic_load_n(&shared->passed, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&shared->arrived, 1, __ATOMIC_ACQ_REL) == (unsigned)ranks) {
        __atomic_store_n(&shared->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&shared->passed, before + 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &shared->passed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    while (__atomic_load_n(&shared->passed, __ATOMIC_ACQUIRE) == before)
        syscall(SYS_futex, &shared->passed, FUTEX_WAIT, before, NULL, NULL, 0);
}
static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}
static void allreduce(void) {
    double mine = rank, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static double mean_of(void (*operation)(void), int count) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < count; ++i)
        operation();
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / count;
}

int main(int argc, char **argv) {
    static void (*const all[operations])(void) = {bare, barrier, allreduce};
    static const char *const names[operations] = {"bare_barrier", "barrier", "allreduce"};
    static double times[operations][rounds], of_bare[operations][rounds];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win window;
    MPI_Aint bytes;
    int unit;
    void *memory;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *shared : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                            &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
    shared = memory;
    if (rank == 0)
        memset(memory, 0, sizeof *shared);
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    for (int round = 0; round < rounds; ++round)
        for (int which = 0; which < operations; ++which) {
            times[which][round] = mean_of(all[which], count);
            of_bare[which][round] = times[which][round] / times[0][round];
        }
    for (int which = 0; rank == 0 && which < operations; ++which) {
        bench_result(names[which], ranks, bench_median(times[which], rounds));
        char text[64];
        snprintf(text, sizeof text, "%s_of_bare", names[which]);
        bench_result(text, ranks, bench_median(of_bare[which], rounds));
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
