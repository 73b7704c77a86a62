// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lisle {

/// How far a rank has come; only ever grows.
enum class rank_progress : std::uint32_t {
    absent,
    started,
    initialized,
    finalized,
    ended,
    left_early, ///< a thread rank has ended where others still count on it: the launcher ends the job
};

} // namespace lisle
