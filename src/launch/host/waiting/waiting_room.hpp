// SPDX-License-Identifier: Apache-2.0
// Where fibers wait for what others are to say about a place in memory: a lock, a condition, a semaphore, a
// futex, the end of a thread. Threads of the process that release or signal one of these call the fibers that
// wait there. One table of short lists by address for the whole process, each with a lock.
#pragma once

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "launch/host/waiting/giving_way.hpp"

namespace lisle::host {

/// A fiber that waits at a place: from its construction on, a caller there finds it. Lies on the fiber's
/// stack.
class waiting_fiber {
  public:
    explicit waiting_fiber(const void *place);
    ~waiting_fiber();
    waiting_fiber(const waiting_fiber &) = delete;
    waiting_fiber &operator=(const waiting_fiber &) = delete;

    /// Lets others run until this fiber has been called, or the deadline is over. Returns whether it has
    /// been called.
    bool wait(const deadline &end);

  private:
    friend class waiting_room;
    const void *const place_;
    const lisle_rank *const fiber_;
    waiting_fiber *next_ = nullptr; ///< in the list; belongs to its lock
    /// Release by the caller, acquire by the fiber: it sees what the caller did before.
    std::atomic<bool> called_{false};
};

/// True if any fiber of the process may wait somewhere. Relaxed: a call that comes too early for a fiber is
/// missed, so fibers look again now and then wherever a look can tell.
[[nodiscard]] bool anybody_waits() noexcept;

/// Calls up to `most` fibers that wait at this place, those first that came first. Returns how many.
int call(const void *place, int most) noexcept;

/// The same for one fiber, where a call may be missed, from signal handlers too: does nothing if the list is
/// in use.
void try_to_call(const void *place) noexcept;

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
    // What releases may be another process, or in the middle of the C library: not every release calls.
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
