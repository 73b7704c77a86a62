// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"

namespace lisle::protocol {

/// How long a message may be that is sent before its receive is known, besides what its route allows.
struct eager_limits {
    /// Where the receiver can copy from the sender's buffer, one copy is saved above this. Measured with
    /// mpi/bench/.
    std::size_t if_copied_once = 4096;
    std::size_t otherwise = SIZE_MAX; ///< not less
    std::int64_t unexpected;          ///< see matching

    static eager_limits from_settings() {
        eager_limits chosen{.unexpected = value_of(setting::unexpected_limit)};
        if (const std::int64_t set = value_of(setting::eager_limit); set >= 0) {
            chosen.if_copied_once = chosen.otherwise = static_cast<std::size_t>(set);
        }
        return chosen;
    }
};

} // namespace lisle::protocol
