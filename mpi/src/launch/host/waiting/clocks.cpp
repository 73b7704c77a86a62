// SPDX-License-Identifier: Apache-2.0
// Clocks as programs see them in a job with simulated time: they show that time, and reading one takes some
// of it. The date is the same at the beginning of each run.
#include "launch/host/process/usage.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/giving_way.hpp"

#include <ctime>
#include <sys/time.h>

namespace lisle::host {

namespace {

const real<"clock_getres", int(clockid_t, timespec *)> real_clock_getres;
const real<"gettimeofday", int(timeval *, void *)> real_gettimeofday;
const real<"time", std::time_t(std::time_t *)> real_time;
const real<"timespec_get", int(timespec *, int)> real_timespec_get;

/// Whether a call that returns to `caller` is to see simulated time.
bool sees_simulated_time(const void *caller) {
    return detail::calls.simulated_time.load(std::memory_order_relaxed) && gives_way(caller);
}

timespec read_simulated(clockid_t clock) {
    const std::int64_t now = lisle_host_read_time() + begin_of(clock);
    return {now / second, now % second};
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int clock_gettime(clockid_t clock, timespec *time) noexcept {
    if (is_simulated(clock) && sees_simulated_time(__builtin_return_address(0))) {
        *time = read_simulated(clock);
        return 0;
    }
    if ((clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) &&
        is_call_of_rank(__builtin_return_address(0))) {
        const std::int64_t used = clock == CLOCK_PROCESS_CPUTIME_ID ? used_by_rank() : used_by_caller();
        *time = {used / second, used % second};
        return 0;
    }
    return real_clock_gettime(clock, time);
}

int clock_getres(clockid_t clock, timespec *resolution) noexcept {
    if (is_simulated(clock) && resolution != nullptr && sees_simulated_time(__builtin_return_address(0))) {
        *resolution = {0, 1};
        return 0;
    }
    return real_clock_getres(clock, resolution);
}

int gettimeofday(timeval *time, void *zone) noexcept {
    if (sees_simulated_time(__builtin_return_address(0))) {
        const timespec now = read_simulated(CLOCK_REALTIME);
        *time = {now.tv_sec, now.tv_nsec / 1000};
        return 0;
    }
    return real_gettimeofday(time, zone);
}

std::time_t time(std::time_t *result) noexcept {
    if (!sees_simulated_time(__builtin_return_address(0))) {
        return real_time(result);
    }
    const std::time_t now = read_simulated(CLOCK_REALTIME).tv_sec;
    if (result != nullptr) {
        *result = now;
    }
    return now;
}

int timespec_get(timespec *time, int base) noexcept {
    if (base == TIME_UTC && sees_simulated_time(__builtin_return_address(0))) {
        *time = read_simulated(CLOCK_REALTIME);
        return base;
    }
    return real_timespec_get(time, base);
}

} // extern "C"
