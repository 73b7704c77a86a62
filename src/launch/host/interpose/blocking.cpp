// SPDX-License-Identifier: Apache-2.0
// Calls of the C library that block a thread, as fiber ranks see them: other ranks of the worker run
// meanwhile. On ordinary threads they do what they always do. What else blocks (locks, pipes, sockets) holds
// up all ranks of the worker; docs/ranks.md says so.
#include "launch/host/life/life.hpp"
#include "launch/host/interpose/real.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

namespace {

using lisle::host::real;

const real<"nanosleep", int(const timespec *, timespec *)> real_nanosleep;
const real<"clock_nanosleep", int(clockid_t, int, const timespec *, timespec *)> real_clock_nanosleep;
const real<"usleep", int(useconds_t)> real_usleep;
const real<"sleep", unsigned(unsigned)> real_sleep;
const real<"pthread_join", int(pthread_t, void **)> real_join;
const real<"pthread_exit", void(void *)> real_pthread_exit;

constexpr std::int64_t second = 1'000'000'000;

bool in_fiber() {
    return lisle_host_in_fiber() != 0;
}

std::int64_t now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

/// Lets other fibers run until this clock shows `end`.
void rest_until(clockid_t clock, std::int64_t end) {
    for (std::int64_t left = 0; (left = end - now(clock)) > 0;) {
        lisle_host_rest(static_cast<std::uint64_t>(left));
    }
}

bool valid(const timespec &time) {
    return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < second;
}

} // namespace

extern "C" {

int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *left) {
    if (!in_fiber() || !valid(*time)) {
        return real_clock_nanosleep(clock, flags, time, left);
    }
    const std::int64_t asked = time->tv_sec * second + time->tv_nsec;
    rest_until(clock, (flags & TIMER_ABSTIME) != 0 ? asked : now(clock) + asked);
    return 0;
}

int nanosleep(const timespec *time, timespec *left) {
    if (!in_fiber() || !valid(*time)) {
        return real_nanosleep(time, left);
    }
    return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
}

int usleep(useconds_t microseconds) {
    if (!in_fiber()) {
        return real_usleep(microseconds);
    }
    rest_until(CLOCK_MONOTONIC, now(CLOCK_MONOTONIC) + std::int64_t{microseconds} * 1000);
    return 0;
}

unsigned sleep(unsigned seconds) {
    if (!in_fiber()) {
        return real_sleep(seconds);
    }
    rest_until(CLOCK_MONOTONIC, now(CLOCK_MONOTONIC) + std::int64_t{seconds} * second);
    return 0;
}

// The thread may wait for a message from another fiber of this worker, so the fiber must not block it.
int pthread_join(pthread_t thread, void **value) {
    if (!in_fiber()) {
        return real_join(thread, value);
    }
    constexpr std::uint64_t longest = 1'000'000;
    for (std::uint64_t pause = 10'000;; pause = std::min(pause * 2, longest)) {
        const int result = pthread_tryjoin_np(thread, value);
        if (result != EBUSY) {
            return result;
        }
        lisle_host_rest(pause);
    }
}

// In main of a fiber rank this must not end the worker's thread.
void pthread_exit(void *value) {
    if (in_fiber()) {
        lisle::host::leave_fiber(*lisle::host::this_rank());
    }
    real_pthread_exit(value);
    __builtin_unreachable();
}

} // extern "C"
