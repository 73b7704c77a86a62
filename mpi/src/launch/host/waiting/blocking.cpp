// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a time or for a thread's end, as fiber ranks see them: other ranks of the worker run
// meanwhile. On ordinary threads they do what they always do. Locks: locks.cpp, conditions.cpp, futex.cpp;
// pipes and sockets: descriptors.cpp. mpi/docs/ranks.md says what else holds up all ranks of the worker.
#include "launch/host/waiting/blocking.hpp"
#include "base/sanitizer_calls.hpp"
#include "launch/host/rank/by_errno.hpp"
#include "launch/host/rank/handlers_run.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/wait_queues.hpp"

#include <cerrno>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"nanosleep", int(const timespec *, timespec *)> real_nanosleep;
const real<"usleep", int(useconds_t)> real_usleep;
const real<"sleep", unsigned(unsigned)> real_sleep;
const real<"thrd_sleep", int(const timespec *, timespec *)> real_thrd_sleep;
const real<"sched_yield", int()> real_sched_yield;
const real<"pthread_timedjoin_np", int(pthread_t, void **, const timespec *)> real_timed_join;
const real<"pthread_clockjoin_np", int(pthread_t, void **, clockid_t, const timespec *)> real_clock_join;

const void *place_of(pthread_t thread) {
    return reinterpret_cast<const void *>(thread);
}

/// Rests until then, or until a handler of the rank's has run. Returns how much is left, 0 if the time is
/// over.
std::int64_t rest_until(const deadline &end) {
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    const handler_watch handlers{ended_by::every_handler};
    for (;;) {
        const std::uint32_t rung = lisle_host_rung(); // before the looks: a handler is rung for
        // The clock is read once for each turn: at a second look the time may be over, and what is left below
        // 0.
        const std::int64_t left = end.left(no_limit);
        if (left <= 0 || handlers.has_run()) {
            return left > 0 ? left : 0;
        }
        lisle_host_rest(rung, static_cast<std::uint64_t>(left));
    }
}

/// Joins a thread that ends within so many nanoseconds, or returns ETIMEDOUT.
int join_within(pthread_t thread, void **value, std::int64_t nanoseconds) {
    const auto absolute = [nanoseconds](clockid_t clock) { // for the C library, so by the machine's time
        timespec now{};
        clock_gettime(clock, &now);
        const std::int64_t end = nanoseconds_of(now) + nanoseconds;
        return timespec{end / second, end % second};
    };
    if (__tsan_switch_to_fiber != nullptr) {
        // ThreadSanitizer does not know the other function, and would report that the thread is never joined.
        const timespec end = absolute(CLOCK_REALTIME);
        return real_timed_join(thread, value, &end);
    }
    const timespec end = absolute(CLOCK_MONOTONIC);
    return real_clock_join(thread, value, CLOCK_MONOTONIC, &end);
}

// The thread may wait for a message from another fiber of this worker, so the fiber must not block the worker
// before the thread has announced its end. After that only the thread's last destructors run.
int join_as_fiber(pthread_t thread, void **value, const deadline &end) {
    constexpr std::int64_t at_the_end = 200'000;
    constexpr std::int64_t some_work = 1'000'000;
    constexpr std::int64_t longest = 100'000'000; // a thread that the host did not start announces nothing
    pauses once_announced;
    for (;;) {
        waiting_fiber self(place_of(thread));
        if (const int result = pthread_tryjoin_np(thread, value); result != EBUSY) {
            return result;
        }
        const std::int64_t left = end.left(longest);
        if (left <= 0) {
            return ETIMEDOUT;
        }
        if (self.wait(deadline::after(left))) {
            break;
        }
        let_machine_work(some_work);
    }
    for (;;) {
        if (const int result = join_within(thread, value, at_the_end);
            result != ETIMEDOUT || !once_announced.rest(end)) {
            return result;
        }
    }
}

/// Returns 0 or EINTR, with what is left of a time that is not absolute.
int sleep_as_fiber(clockid_t clock, bool absolute, const timespec &time, timespec *left) {
    const std::int64_t asked = nanoseconds_of(time);
    const std::int64_t rest = rest_until({clock, absolute ? asked : time_of(clock) + asked});
    if (rest != 0 && !absolute && left != nullptr) {
        *left = {rest / second, rest % second};
    }
    return rest != 0 ? EINTR : 0;
}

} // namespace

void thread_is_ending(pthread_t thread) {
    if (has_waiters()) {
        wake(place_of(thread), INT_MAX);
    }
}

int join(pthread_t thread, void **value, const void *caller) {
    return gives_way(caller) ? join_as_fiber(thread, value, {}) : real_join(thread, value);
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int clock_nanosleep(clockid_t clock, int flags, const timespec *time, timespec *left) {
    if (!gives_way(__builtin_return_address(0)) || !is_valid(*time)) {
        return real_clock_nanosleep(clock, flags, time, left);
    }
    return sleep_as_fiber(clock, (flags & TIMER_ABSTIME) != 0, *time, left);
}

int nanosleep(const timespec *time, timespec *left) {
    if (!gives_way(__builtin_return_address(0)) || !is_valid(*time)) {
        return real_nanosleep(time, left);
    }
    return by_errno(sleep_as_fiber(CLOCK_MONOTONIC, false, *time, left));
}

int thrd_sleep(const timespec *time, timespec *left) {
    if (!gives_way(__builtin_return_address(0)) || !is_valid(*time)) {
        return real_thrd_sleep(time, left);
    }
    return sleep_as_fiber(CLOCK_MONOTONIC, false, *time, left) == 0 ? 0 : -1;
}

int usleep(useconds_t microseconds) {
    if (!gives_way(__builtin_return_address(0))) {
        return real_usleep(microseconds);
    }
    return by_errno(rest_until(deadline::after(std::int64_t{microseconds} * 1000)) != 0 ? EINTR : 0);
}

unsigned sleep(unsigned seconds) {
    if (!gives_way(__builtin_return_address(0))) {
        return real_sleep(seconds);
    }
    const std::int64_t left = rest_until(deadline::after(std::int64_t{seconds} * second));
    return static_cast<unsigned>((left + second - 1) / second);
}

// Programs that ask for something again and again offer the core meanwhile.
int sched_yield() noexcept {
    if (gives_way(__builtin_return_address(0)) && lisle_host_yield() != 0) {
        return 0;
    }
    return real_sched_yield();
}

void thrd_yield() {
    if (!gives_way(__builtin_return_address(0)) || lisle_host_yield() == 0) {
        real_sched_yield();
    }
}

int pthread_join(pthread_t thread, void **value) {
    return join(thread, value, __builtin_return_address(0));
}

int pthread_timedjoin_np(pthread_t thread, void **value, const timespec *end) {
    if (!gives_way(__builtin_return_address(0)) || end == nullptr || !is_valid(*end)) {
        return real_timed_join(thread, value, end);
    }
    return join_as_fiber(thread, value, {CLOCK_REALTIME, nanoseconds_of(*end)});
}

int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const timespec *end) {
    if (!gives_way(__builtin_return_address(0)) || end == nullptr || !is_valid(*end)) {
        return real_clock_join(thread, value, clock, end);
    }
    return join_as_fiber(thread, value, {clock, nanoseconds_of(*end)});
}

} // extern "C"
