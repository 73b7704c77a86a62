// SPDX-License-Identifier: Apache-2.0
// From which size on the memory of other processes is read for a message.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lisle::fabric::local {

struct read_thresholds {
    std::size_t least = SIZE_MAX; ///< smallest message for which it may be; SIZE_MAX: none
    std::size_t surely = 0;       ///< smallest one that is never better sent as a stream

    [[nodiscard]] bool any() const noexcept { return least != SIZE_MAX; }
};

} // namespace lisle::fabric::local
