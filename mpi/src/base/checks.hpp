// SPDX-License-Identifier: Apache-2.0
// The level of checking beyond what the standard demands (LISLE_CHECK): see mpi/docs/correctness.md.
#pragma once

#include <atomic>

#include "base/settings.hpp"

namespace lisle {

/// The values of LISLE_CHECK. Each includes the checks of those before it.
enum class check_level : unsigned char {
    none,  ///< deadlocks alone
    cheap, ///< what costs a message little
    all,   ///< everything: calls may take several times as long
};

namespace detail {
/// Higher than any level, so that who asks for the first time looks further.
inline constexpr unsigned char unknown_level = 255;
/// Relaxed: each thread that finds it unknown reads the same setting.
inline constinit std::atomic<unsigned char> level_in_force{unknown_level};

[[gnu::cold, gnu::noinline]] inline bool checks_at_first(check_level level) noexcept {
    const auto found = static_cast<unsigned char>(value_of(setting::check));
    level_in_force.store(found, std::memory_order_relaxed);
    return found >= static_cast<unsigned char>(level);
}
} // namespace detail

/// True if the level in force is this one or a higher one: the same in all ranks of a job.
[[nodiscard, gnu::always_inline]] inline bool checks(check_level level) noexcept {
    const unsigned char known = detail::level_in_force.load(std::memory_order_relaxed);
    if (known < static_cast<unsigned char>(level)) [[likely]] {
        return false;
    }
    if (known != detail::unknown_level) { // as one expression it makes GCC 12 take every caller for cold
        return true;
    }
    return detail::checks_at_first(level);
}

} // namespace lisle
