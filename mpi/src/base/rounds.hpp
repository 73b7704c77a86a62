// SPDX-License-Identifier: Apache-2.0
// The rounds of dissemination, recursive doubling and Bruck's algorithms: in each, a member of a ring meets
// those at one distance, which doubles from round to round.
#pragma once

#include <cstdint>

namespace lisle {

/// Calls function(distance) for 1, 2, 4 and so on below `size`.
template <class Function> void each_doubling(int size, Function function) {
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
        function(distance);
    }
}

/// The member `distance` further on a ring of `size`, or before if that is negative. @pre |distance| < size
[[nodiscard]] constexpr int along_ring(int member, std::int64_t distance, int size) noexcept {
    return static_cast<int>((member + distance + size) % size);
}

} // namespace lisle
