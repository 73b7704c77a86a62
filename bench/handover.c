/* SPDX-License-Identifier: Apache-2.0
 * What the hardware takes: the raw hand-over of a cache line between two cores, one way, without any MPI. No
 * latency can be less, and on virtual machines it changes by the hour, so it is measured beside the rest. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 20000, batches = 15 };

static _Alignas(128) atomic_long ping;
static _Alignas(128) atomic_long pong;

static void pin(int wanted) {
    cpu_set_t allowed, one;
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static void *answer(void *unused) {
    pin(1);
    for (long i = 1; i <= (long)count * batches; ++i) {
        while (atomic_load_explicit(&ping, memory_order_acquire) != i) {
        }
        atomic_store_explicit(&pong, i, memory_order_release);
    }
    return unused;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(void) {
    pthread_t other;
    double times[batches];
    pthread_create(&other, NULL, answer, NULL);
    pin(0);
    long i = 1;
    for (int b = 0; b < batches; ++b) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int k = 0; k < count; ++k, ++i) {
            atomic_store_explicit(&ping, i, memory_order_release);
            while (atomic_load_explicit(&pong, memory_order_acquire) != i) {
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[b] =
            ((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec)) / count / 2;
    }
    pthread_join(other, NULL);
    qsort(times, batches, sizeof *times, compare);
    printf("handover 64 %.9g\n", times[batches / 2]);
    return 0;
}
