// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lisle {

/// Copies at most 32 bytes, inline: with overlapping pieces of fixed size, so that no length needs a loop.
[[gnu::always_inline]] inline void copy_short(std::byte *to, const std::byte *from,
                                              std::size_t bytes) noexcept {
    struct sixteen {
        std::uint64_t low, high;
    };
    const auto both_ends = [=]<class Piece>(Piece first, Piece last) {
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&last, from + bytes - sizeof last, sizeof last);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + bytes - sizeof last, &last, sizeof last);
    };
    if (bytes == 8) {
        std::memcpy(to, from, 8);
    } else if (bytes >= sizeof(sixteen)) {
        both_ends(sixteen{}, sixteen{});
    } else if (bytes >= 8) {
        both_ends(std::uint64_t{}, std::uint64_t{});
    } else if (bytes >= 4) {
        both_ends(std::uint32_t{}, std::uint32_t{});
    } else if (bytes != 0) {
        to[0] = from[0];
        to[bytes / 2] = from[bytes / 2];
        to[bytes - 1] = from[bytes - 1];
    }
}

} // namespace lisle
