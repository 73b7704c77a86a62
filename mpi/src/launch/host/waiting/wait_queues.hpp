// SPDX-License-Identifier: Apache-2.0
// Queues of fibers that wait for a lock, a condition, a semaphore, a futex or the end of a thread, by its
// address. A thread of the process that releases or signals one of these wakes the fibers in its queue. The
// process has one table of short queues, each with a lock.
#pragma once

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "launch/host/waiting/giving_way.hpp"

namespace lisle::host {

/// A fiber that waits at a place: from its construction on, wake() finds it. Lies on the fiber's stack.
class waiting_fiber {
  public:
    explicit waiting_fiber(const void *place);
    ~waiting_fiber();
    waiting_fiber(const waiting_fiber &) = delete;
    waiting_fiber &operator=(const waiting_fiber &) = delete;

    /// Lets others run until this fiber has been woken, or the deadline is over. Returns whether it has been
    /// woken.
    bool wait(const deadline &end);

  private:
    friend class wait_queues;
    const void *const place_;
    const lisle_rank *const fiber_;
    waiting_fiber *next_ = nullptr; ///< in the list; belongs to its lock
    /// Release by the thread that wakes, acquire by the fiber: it sees what that thread did before.
    std::atomic<bool> woken_{false};
};

/// True if any fiber of the process may wait somewhere. Relaxed: a fiber that has just begun to wait may be
/// missed, so fibers look again now and then wherever a look can tell.
[[nodiscard]] bool has_waiters() noexcept;

/// Wakes up to `most` fibers that wait at this place, in the order in which they came. Returns how many.
int wake(const void *place, int most) noexcept;

/// The same for one fiber, also from signal handlers: does nothing if the queue is in use.
void try_to_wake(const void *place) noexcept;

/// Asks `attempt` again and again, and lets other fibers run meanwhile. @param attempt returns an errno
/// number, `busy` if it is too early
/// @return what the last attempt returned, or ETIMEDOUT
template <class Attempt> int wait_for(const void *place, int busy, const deadline &end, Attempt attempt) {
    // Most locks are held for a moment only.
    constexpr int brief_looks = 16;
    int result = attempt();
    for (int look = 0; result == busy && look != brief_looks && end.left(1) > 0; ++look) {
        lisle_host_yield();
        result = attempt();
    }
    // Another process, or the C library itself, may release without a wake: look again in growing pauses.
    constexpr std::int64_t longest = 4'000'000;
    for (std::int64_t pause = 100'000; result == busy; pause = pause * 2 < longest ? pause * 2 : longest) {
        waiting_fiber self(place);
        result = attempt();
        if (result == busy) {
            const std::int64_t left = end.left(pause);
            if (left <= 0) {
                return ETIMEDOUT;
            }
            if (!self.wait(deadline::after(left))) {
                let_machine_work(pause / 16);
            }
        }
    }
    return result;
}

} // namespace lisle::host
