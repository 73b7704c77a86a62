// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lisle {

namespace detail {
template <class Piece> [[gnu::always_inline]] inline void copy_both_ends(std::byte *to, const std::byte *from,
                                                                         std::size_t bytes) noexcept {
    Piece first, last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + bytes - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + bytes - sizeof last, &last, sizeof last);
}
} // namespace detail

/// Copies at most 32 bytes, inline: with overlapping pieces of fixed size, so that no length needs a loop.
[[gnu::always_inline]] inline void copy_short(std::byte *to, const std::byte *from,
                                              std::size_t bytes) noexcept {
    struct sixteen {
        std::uint64_t low, high;
    };
    if (bytes == 8) {
        std::memcpy(to, from, 8);
    } else if (bytes >= sizeof(sixteen)) {
        detail::copy_both_ends<sixteen>(to, from, bytes);
    } else if (bytes >= 8) {
        detail::copy_both_ends<std::uint64_t>(to, from, bytes);
    } else if (bytes >= 4) {
        detail::copy_both_ends<std::uint32_t>(to, from, bytes);
    } else if (bytes != 0) {
        to[0] = from[0];
        to[bytes / 2] = from[bytes / 2];
        to[bytes - 1] = from[bytes - 1];
    }
}

} // namespace lisle
