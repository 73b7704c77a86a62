// SPDX-License-Identifier: Apache-2.0
// The time of recorded calls, read in a third of what the system's clock takes: from the processor's counter,
// where the system trusts that itself, set again by the system's clock before the two can differ by more than
// some ten nanoseconds.
#pragma once

#include <cstdint>

namespace lisle::report {

/// The clock of one thread.
class tick_clock {
  public:
    /// Notes the counter and the time: rates are measured from here on, so the earlier the better. Once for
    /// the process, before other threads read.
    static void begin() noexcept;
    /// Whether the counter is to be used, from now on. @pre time is not simulated, or nobody asks for it
    static void use_counter() noexcept;

    /// What the rank's clocks show, in ns.
    [[nodiscard]] std::uint64_t now() noexcept {
#if defined(__x86_64__)
        const std::uint64_t since = __builtin_ia32_rdtsc() - ticks_;
        if (since < most_) [[likely]] {
            return time_ + static_cast<std::uint64_t>(static_cast<double>(since) * rate_);
        }
#endif
        return set_again();
    }

  private:
    /// Takes the system's time, and sets the counter's by it if that is used.
    [[gnu::noinline]] std::uint64_t set_again() noexcept;

    std::uint64_t ticks_ = 0, time_ = 0;           ///< when it was set
    std::uint64_t most_ = 0;                       ///< so many ticks later it is to be set again
    double rate_ = 0;                              ///< ns of a tick; 0: not measured yet
    std::uint64_t from_ticks_ = 0, from_time_ = 0; ///< since when it has been measured
};

} // namespace lisle::report
