// SPDX-License-Identifier: Apache-2.0
// The word in front of every packet, which only the network reads: the payload's length and the place of the
// destination. The destination's router removes it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tile/network/geometry.hpp"

namespace lisle::tile {

using word = std::uint32_t;

/// The length field has five bits, and a packet without payload has no use.
inline constexpr int most_payload_words = 31;

/// A header as a word: length in bits 0 to 4, column in 5 to 17, row in 18 to 30.
[[nodiscard]] constexpr word pack_header(int payload_words, int column, int row) noexcept {
    return static_cast<word>(payload_words) | static_cast<word>(column) << 5 | static_cast<word>(row) << 18;
}
[[nodiscard]] constexpr int payload_of(word header) noexcept {
    return static_cast<int>(header & 31U);
}
[[nodiscard]] constexpr int column_of(word header) noexcept {
    return static_cast<int>(header >> 5 & 0x1fffU);
}
[[nodiscard]] constexpr int row_of(word header) noexcept {
    return static_cast<int>(header >> 18 & 0x1fffU);
}

/// The header of a packet to a tile. Throws std::invalid_argument if the length does not fit or there is no
/// such tile.
[[nodiscard]] inline word make_header(const mesh_shape &shape, int to, int payload_words) {
    if (payload_words < 1 || payload_words > most_payload_words) {
        throw std::invalid_argument("a packet carries 1 to " + std::to_string(most_payload_words) +
                                    " words, not " + std::to_string(payload_words));
    }
    if (to < 0 || to >= shape.tiles()) {
        throw std::invalid_argument("tile " + std::to_string(to) + " is outside the mesh, which has " +
                                    std::to_string(shape.tiles()) + " tiles");
    }
    return pack_header(payload_words, shape.column(to), shape.row(to));
}

} // namespace lisle::tile
