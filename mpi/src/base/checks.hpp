// SPDX-License-Identifier: Apache-2.0
// The level of checking beyond what the standard demands (LISLE_CHECK): see mpi/docs/correctness.md.
#pragma once

#include "base/settings.hpp"

namespace lisle {

/// The values of LISLE_CHECK. Each includes the checks of those before it.
enum class check_level : unsigned char {
    none,  ///< deadlocks alone
    cheap, ///< what costs a message little
    all,   ///< everything: calls may take several times as long
};

/// True if the level in force is this one or a higher one: the same in all ranks of a job.
[[nodiscard]] inline bool checks(check_level level) noexcept {
    static const auto in_force = static_cast<check_level>(value_of(setting::check));
    return in_force >= level;
}

} // namespace lisle
