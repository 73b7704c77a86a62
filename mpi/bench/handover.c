/* SPDX-License-Identifier: Apache-2.0
 * What the hardware takes, without any MPI: the hand-over of a cache line between two cores, one way, and how
 * many lines in a second go through a bare ring of them, of which windows of 64 are claimed, written and
 * stamped, read, and answered as in rate.c. No latency can be less and no rate of such messages higher; on
 * virtual machines both change by the hour, so they are measured beside the rest. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 20000, batches = 15, lines = 1024, window = 64, windows = 500 };

static _Alignas(128) atomic_long ping;
static _Alignas(128) atomic_long pong;

static struct line {
    long content[7];
    atomic_long stamp;
} _Alignas(64) ring[lines];
static _Alignas(128) atomic_long claimed;
static _Alignas(128) atomic_long answered;

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

static void *answer(void *result) {
    pin(1);
    for (long i = 1; i <= (long)count * batches; ++i) {
        while (atomic_load_explicit(&ping, memory_order_acquire) != i) {
        }
        atomic_store_explicit(&pong, i, memory_order_release);
    }
    long *const sum = result;
    for (long i = 0; i < (long)window * windows * batches; ++i) {
        struct line *const next = &ring[i % lines];
        while (atomic_load_explicit(&next->stamp, memory_order_acquire) != i + 1) {
        }
        *sum += next->content[0];
        if ((i + 1) % window == 0)
            atomic_store_explicit(&answered, i + 1, memory_order_release);
    }
    return NULL;
}

/* The sender's side of the ring, one batch; answers come often enough that nothing is overwritten. */
static void send_lines(void) {
    for (int i = 0; i < window * windows; ++i) {
        const long number = atomic_fetch_add(&claimed, 1);
        struct line *const mine = &ring[number % lines];
        mine->content[0] = number;
        atomic_store_explicit(&mine->stamp, number + 1, memory_order_release);
        if ((number + 1) % window == 0)
            while (atomic_load_explicit(&answered, memory_order_acquire) != number + 1) {
            }
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(void) {
    pthread_t other;
    double times[batches];
    long sum = 0;
    pthread_create(&other, NULL, answer, &sum);
    pin(0);
    long i = 1;
    for (int b = 0; b < batches; ++b) {
        const double start = now();
        for (int k = 0; k < count; ++k, ++i) {
            atomic_store_explicit(&ping, i, memory_order_release);
            while (atomic_load_explicit(&pong, memory_order_acquire) != i) {
            }
        }
        times[b] = (now() - start) / count / 2;
    }
    qsort(times, batches, sizeof *times, compare);
    printf("handover 64 %.9g\n", times[batches / 2]);
    for (int b = 0; b < batches; ++b) {
        const double start = now();
        send_lines();
        times[b] = window * windows / (now() - start);
    }
    pthread_join(other, NULL);
    const long messages = (long)window * windows * batches;
    if (sum != messages * (messages - 1) / 2)
        return 1;
    qsort(times, batches, sizeof *times, compare);
    printf("ring 64 %.9g\n", times[batches / 2]);
    return 0;
}
