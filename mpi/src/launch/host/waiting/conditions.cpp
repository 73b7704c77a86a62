// SPDX-License-Identifier: Apache-2.0
// Condition variables and barriers, as fiber ranks see them: other ranks of the worker run while one waits.
// Fibers wait in queues of the host, threads in the C library; a signal wakes a fiber if there is one.
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/locks.hpp"

#include <cerrno>
#include <ctime>
#include <pthread.h>
#include <threads.h>

namespace lisle::host {

namespace {

const real<"pthread_cond_wait", int(pthread_cond_t *, pthread_mutex_t *)> real_cond_wait;
const real<"pthread_cond_timedwait", int(pthread_cond_t *, pthread_mutex_t *, const timespec *)>
    real_timed_wait;
const real<"pthread_cond_clockwait", int(pthread_cond_t *, pthread_mutex_t *, clockid_t, const timespec *)>
    real_clock_wait;
const real<"pthread_cond_signal", int(pthread_cond_t *)> real_cond_signal;
const real<"pthread_cond_broadcast", int(pthread_cond_t *)> real_broadcast;
const real<"pthread_barrier_wait", int(pthread_barrier_t *)> real_barrier_wait;

// The C library keeps a condition's attributes in the lowest bits of this word.
constexpr unsigned shared_bit = 1;
constexpr unsigned monotonic_bit = 2;
bool is_shared(const pthread_cond_t &condition) {
    return (condition.__data.__wrefs & shared_bit) != 0;
}
clockid_t clock_of(const pthread_cond_t &condition) {
    return (condition.__data.__wrefs & monotonic_bit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_as_fiber(pthread_cond_t *condition, pthread_mutex_t *mutex, const deadline &end) {
    // A signal of another process wakes no fiber: return soon, as the standard allows.
    constexpr std::int64_t between_looks = 1'000'000;
    int result = 0;
    {
        waiting_fiber self(condition);
        if (const int error = unlock(mutex); error != 0) {
            return error;
        }
        if (!is_shared(*condition)) {
            result = self.wait(end) ? 0 : ETIMEDOUT;
        } else if (const std::int64_t left = end.left(between_looks); left <= 0) {
            result = ETIMEDOUT;
        } else {
            self.wait(deadline::after(left));
        }
    }
    const int error = lock_as_fiber(mutex, {});
    return error != 0 ? error : result;
}

int signal_one(pthread_cond_t *condition) {
    return has_waiters() && wake(condition, 1) != 0 ? 0 : real_cond_signal(condition);
}

int signal_all(pthread_cond_t *condition) {
    if (has_waiters()) {
        wake(condition, INT_MAX);
    }
    return real_broadcast(condition);
}

/// A thread that waits at a barrier in a fiber's place.
struct proxy {
    pthread_barrier_t *barrier;
    int result;

    static void *run(void *opaque) {
        auto &self = *static_cast<proxy *>(opaque);
        self.result = real_barrier_wait(self.barrier);
        wake(&self, 1);
        return nullptr;
    }
};

int barrier_wait_as_fiber(pthread_barrier_t *barrier) {
    proxy waiter{barrier, 0};
    waiting_fiber self(&waiter);
    pthread_t thread{};
    if (real_create(&thread, nullptr, &proxy::run, &waiter) != 0) {
        return real_barrier_wait(barrier);
    }
    self.wait({});
    real_join(thread, nullptr);
    return waiter.result;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return gives_way(__builtin_return_address(0)) ? wait_as_fiber(condition, mutex, {})
                                                  : real_cond_wait(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *end) {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? wait_as_fiber(condition, mutex, {clock_of(*condition), nanoseconds_of(*end)})
               : real_timed_wait(condition, mutex, end);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const timespec *end) {
    return gives_way(__builtin_return_address(0)) && is_valid(*end)
               ? wait_as_fiber(condition, mutex, {clock, nanoseconds_of(*end)})
               : real_clock_wait(condition, mutex, clock, end);
}

int pthread_cond_signal(pthread_cond_t *condition) noexcept {
    return signal_one(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) noexcept {
    return signal_all(condition);
}

int pthread_barrier_wait(pthread_barrier_t *barrier) noexcept {
    return gives_way(__builtin_return_address(0)) ? barrier_wait_as_fiber(barrier)
                                                  : real_barrier_wait(barrier);
}

// C11's condition variables are POSIX's under another name.
int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    auto *const same = reinterpret_cast<pthread_cond_t *>(condition);
    auto *const locked = reinterpret_cast<pthread_mutex_t *>(mutex);
    return c11_result(gives_way(__builtin_return_address(0)) ? wait_as_fiber(same, locked, {})
                                                             : real_cond_wait(same, locked));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const timespec *end) {
    auto *const same = reinterpret_cast<pthread_cond_t *>(condition);
    auto *const locked = reinterpret_cast<pthread_mutex_t *>(mutex);
    return c11_result(gives_way(__builtin_return_address(0)) && is_valid(*end)
                          ? wait_as_fiber(same, locked, {CLOCK_REALTIME, nanoseconds_of(*end)})
                          : real_timed_wait(same, locked, end));
}

int cnd_signal(cnd_t *condition) {
    return c11_result(signal_one(reinterpret_cast<pthread_cond_t *>(condition)));
}

int cnd_broadcast(cnd_t *condition) {
    return c11_result(signal_all(reinterpret_cast<pthread_cond_t *>(condition)));
}

} // extern "C"
