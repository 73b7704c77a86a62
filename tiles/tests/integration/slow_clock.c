/* SPDX-License-Identifier: Apache-2.0
 * To be preloaded: a machine that needs a hundred times as much of its processor's time for everything. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    const int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (failed == 0 && clock == CLOCK_THREAD_CPUTIME_ID) {
        const long long slow = 100 * (now->tv_sec * 1000000000LL + now->tv_nsec);
        now->tv_sec = slow / 1000000000;
        now->tv_nsec = slow % 1000000000;
    }
    return failed;
}
