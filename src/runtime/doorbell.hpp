// SPDX-License-Identifier: Apache-2.0
// Where a rank sleeps and how others wake it: one futex word, in memory that every process of the job
// maps. A doorbell carries no news itself: whoever wakes looks at its mailbox and its requests again.
#pragma once

#include <atomic>
#include <cstdint>

namespace lisle {

class alignas(64) doorbell {
  public:
    /// The value to hand to `sleep`: read it *before* looking for news one last time.
    /// Acquire: pairs with the release in `ring`, so what was written before a ring is seen after it.
    [[nodiscard]] std::uint32_t value() const noexcept { return word_.load(std::memory_order_acquire); }

    /// Wakes all threads that sleep here; those that are about to sleep on an older value do not.
    void ring() noexcept;

    /// Sleeps until the doorbell rings, unless it has rung since `seen` was read.
    /// @param nanoseconds at most this long; 0: without limit
    void sleep(std::uint32_t seen, std::uint64_t nanoseconds = 0) noexcept;

  private:
    std::atomic<std::uint32_t> word_{0};
};

} // namespace lisle
