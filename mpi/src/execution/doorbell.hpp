// SPDX-License-Identifier: Apache-2.0
// Where a rank sleeps and how others wake it, in memory that every process of the job maps. A doorbell
// carries no news itself: a rank that wakes looks at its mailbox and its requests again. Threads sleep on a
// futex word of the rank's own bell. Fiber ranks do not sleep: their bells put them on the list of the bell
// that is their worker's home, and wake the worker if it sleeps there. Invariant: a bell that is `queued_` is
// in exactly one list, or about to be put there by the thread that set the flag. See
// mpi/docs/design/waiting.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace lisle {

class doorbell {
  public:
    /// The value to hand to `sleep`: read it *before* looking for news one last time.
    /// Acquire: pairs with `ring`, so what was written before a ring is seen after it.
    [[nodiscard]] std::uint32_t value() const noexcept { return word_.load(std::memory_order_acquire); }

    /// Wakes all threads that sleep here, and the fiber whose bell this is; those that are about to sleep on
    /// an older value do not. From any thread of any process.
    void ring() noexcept;

    /// Sleeps until the doorbell rings, unless it has rung since `seen` was read.
    /// @param nanoseconds at most this long; 0: without limit
    void sleep(std::uint32_t seen, std::uint64_t nanoseconds = 0) noexcept;

    /// A bell, and its value when its owner last looked for news.
    struct seen_value {
        doorbell *bell;
        std::uint32_t value;
    };
    /// Sleeps until one of some bells rings, unless one has since its value was read. May return earlier if
    /// there are more of them than the system can wait for.
    static void sleep_on_any(std::span<const seen_value> bells, std::uint64_t nanoseconds = 0) noexcept;

    // ---- bells of fibers ----

    static constexpr std::uint32_t unit = 64; ///< bells of a job lie multiples of this many bytes apart

    /// This bell belongs to a fiber whose worker is at home at `home`, which lies `units` units before it.
    /// @pre nobody knows the bell yet
    void belong_to(std::uint32_t units) noexcept { to_home_ = units + 1; }

    // The worker's side; `this` is the home.
    [[nodiscard]] bool any_rung() const noexcept {
        return rung_.load(std::memory_order_relaxed) != 0; // a hint; take_rung acquires
    }
    /// Takes the list of bells that have rung: its newest entry as the distance from here in units, plus 1;
    /// 0: none. Acquire: with the release of those that put the bells there.
    [[nodiscard]] std::uint32_t take_rung() noexcept { return rung_.exchange(0, std::memory_order_acquire); }
    /// Takes this bell out of the list that it was found in; returns the next older entry.
    [[nodiscard]] std::uint32_t leave_list() noexcept;
    /// Sleeps until a bell of this home has rung, unless one has.
    void sleep_at_home(std::uint64_t nanoseconds = 0) noexcept;

  private:
    void call_fiber() noexcept;

    alignas(64) std::atomic<std::uint32_t> word_{0}; ///< how often it has rung
    /// Threads that sleep on word_, or are about to. Ordered with word_ by sequential consistency: either the
    /// ringer sees the sleeper, or the sleeper sees the new value.
    std::atomic<std::uint32_t> sleepers_{0};
    std::uint32_t to_home_ = 0;            ///< distance in units plus 1; 0: no fiber's. Never changes.
    std::atomic<std::uint32_t> queued_{0}; ///< see the file's head; exchanged with acquire and release
    std::atomic<std::uint32_t> next_{0};   ///< the entry that came before; belongs to the owner of the entry

    alignas(64) std::atomic<std::uint32_t> rung_{0}; ///< newest entry of the home's list
    /// 1: the worker sleeps, or is about to. Ordered with rung_ as sleepers_ is with word_.
    std::atomic<std::uint32_t> asleep_{0};
};

} // namespace lisle
