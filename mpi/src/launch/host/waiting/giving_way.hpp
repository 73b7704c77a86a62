// SPDX-License-Identifier: Apache-2.0
// Which calls of the C library let other fibers of the worker run instead of blocking its thread: those that
// a fiber's program makes, itself or through a library. Calls that Lisle makes do not, since it may hold
// locks; it lets fibers run where it says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include <ctime>

#include "launch/host/rank/nanoseconds.hpp"
#include "launch/host/rank/own_code.hpp"
#include "library/host_interface.h"

namespace lisle::host {

namespace detail {
/// Written before any rank runs, and in forked children, which have one thread. Threads of the library may
/// read it before.
struct fiber_calls {
    std::atomic<bool> give_way{false};       ///< released after the others, and acquired before they are read
    std::atomic<bool> simulated_time{false}; ///< the job lives by it
};
extern fiber_calls calls;
} // namespace detail

/// From here on fibers' calls give way. @pre own code has been noted, no rank runs yet
void let_fibers_give_way();

/// Whether the call that returns to `caller` is to let other fibers run.
[[nodiscard]] inline bool gives_way(const void *caller) noexcept {
    if (!detail::calls.give_way.load(std::memory_order_acquire) || lisle_host_may_give_way() == 0) {
        return false;
    }
    return !is_own_code(caller);
}

[[nodiscard]] inline bool is_valid(const timespec &time) noexcept {
    return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < second;
}

/// True if the calling fiber lives by simulated time.
[[nodiscard]] bool lives_by_simulated_time() noexcept;
/// Whether simulated time moves this clock: those of time do, those of a processor's use do not.
[[nodiscard]] constexpr bool is_simulated(clockid_t clock) noexcept {
    return clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID && clock >= 0;
}
/// What a simulated clock shows when the job begins: the date is the same in all runs.
[[nodiscard]] constexpr std::int64_t begin_of(clockid_t clock) noexcept {
    constexpr std::int64_t year_2000 = 946'684'800; // in seconds
    const bool has_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    return has_date ? year_2000 * second : 0;
}
/// Nanoseconds on this clock, as the calling fiber's program sees it.
[[nodiscard]] std::int64_t time_of(clockid_t clock) noexcept;
/// For a fiber that waits for a thread or a descriptor: while simulated time passes, that thread or the
/// kernel needs time of the machine to work. Sleeps so long by the machine's clock.
void let_machine_work(std::int64_t nanoseconds) noexcept;

/// When a wait ends without success.
class deadline {
  public:
    /// Never.
    deadline() = default;
    /// When this clock shows this many nanoseconds.
    deadline(clockid_t clock, std::int64_t end) : clock_(clock), end_(end) {}
    [[nodiscard]] static deadline after(std::int64_t nanoseconds) {
        return {CLOCK_MONOTONIC, time_of(CLOCK_MONOTONIC) + nanoseconds};
    }
    /// Nanoseconds until then, at most `limit`; not above 0 if it is over.
    [[nodiscard]] std::int64_t left(std::int64_t limit) const {
        if (end_ == std::numeric_limits<std::int64_t>::max()) {
            return limit;
        }
        const std::int64_t all = end_ - time_of(clock_);
        return all < limit ? all : limit;
    }

  private:
    clockid_t clock_ = CLOCK_MONOTONIC;
    std::int64_t end_ = std::numeric_limits<std::int64_t>::max();
};

/// Pauses between two looks at what rings no bell, growing up to a millisecond.
class pauses {
  public:
    /// Lets others run for the next pause; false if the deadline is over. @pre the caller is a fiber
    bool rest(const deadline &end) {
        const std::int64_t left = end.left(next_);
        if (left <= 0) {
            return false;
        }
        lisle_host_rest(lisle_host_rung(), static_cast<std::uint64_t>(left));
        constexpr std::int64_t longest = 1'000'000;
        if (next_ >= longest / 2) {
            let_machine_work(next_);
        }
        next_ = next_ * 2 < longest ? next_ * 2 : longest;
        return true;
    }

  private:
    std::int64_t next_ = 10'000;
};

} // namespace lisle::host
