// SPDX-License-Identifier: Apache-2.0
#include "launch/host/waiting/giving_way.hpp"

#include <pthread.h>

namespace lisle::host {

namespace detail {
constinit fiber_calls calls;
} // namespace detail

bool lives_by_simulated_time() noexcept {
    return detail::calls.simulated_time.load(std::memory_order_relaxed) && lisle_host_in_fiber() != 0;
}

std::int64_t time_of(clockid_t clock) noexcept {
    if (lives_by_simulated_time() && is_simulated(clock)) {
        return lisle_host_time() + begin_of(clock);
    }
    timespec time{};
    clock_gettime(clock, &time); // the machine's clock, since this call does not come from a program
    return nanoseconds_of(time);
}

void let_machine_work(std::int64_t nanoseconds) noexcept {
    if (lives_by_simulated_time()) {
        const timespec time{nanoseconds / second, nanoseconds % second};
        nanosleep(&time, nullptr); // as above
    }
}

void let_fibers_give_way() {
    // Relaxed: a reader has acquired give_way before, or is a rank, and none has begun.
    detail::calls.simulated_time.store(lisle_host_has_simulated_time() != 0, std::memory_order_relaxed);
    detail::calls.give_way.store(true, std::memory_order_release);
    // A forked child has one thread and one fiber: no other fiber could run.
    pthread_atfork(nullptr, nullptr, [] { detail::calls.give_way.store(false, std::memory_order_relaxed); });
}

} // namespace lisle::host
