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

[[gnu::cold, gnu::noinline]] inline unsigned char find_level() noexcept {
    level_in_force.store(static_cast<unsigned char>(value_of(setting::check)), std::memory_order_relaxed);
    return level_in_force.load(std::memory_order_relaxed);
}
/// @param known the level, or unknown_level
[[nodiscard]] inline bool reaches(unsigned char known, check_level level) noexcept {
    if (known == unknown_level) [[unlikely]] {
        known = find_level();
    }
    return known >= static_cast<unsigned char>(level);
}
} // namespace detail

/// True if the level in force is this one or a higher one: the same in all ranks of a job.
[[nodiscard, gnu::always_inline]] inline bool checks(check_level level) noexcept {
    const unsigned char known = detail::level_in_force.load(std::memory_order_relaxed);
    return known >= static_cast<unsigned char>(level) && detail::reaches(known, level);
}

} // namespace lisle
