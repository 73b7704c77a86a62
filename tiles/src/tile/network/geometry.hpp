// SPDX-License-Identifier: Apache-2.0
// Where tiles lie and which way packets go: first along the row (x), then along the column (y).
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

namespace lisle::tile {

/// The sides of a router. The last one leads to the tile's own core.
enum class side : std::uint8_t { north, east, south, west, core };
inline constexpr int sides = 5;
inline constexpr std::array all_sides{side::north, side::east, side::south, side::west, side::core};

[[nodiscard]] constexpr std::size_t index(side s) noexcept {
    return static_cast<std::size_t>(s);
}
[[nodiscard]] constexpr side opposite(side s) noexcept {
    return s == side::core ? s : static_cast<side>((index(s) + 2) % 4);
}

/// A mesh of width x height tiles, numbered in rows from the north-west corner.
struct mesh_shape {
    int width = 1;
    int height = 1;

    [[nodiscard]] constexpr int tiles() const noexcept { return width * height; }
    [[nodiscard]] constexpr int column(int tile) const noexcept { return tile % width; }
    [[nodiscard]] constexpr int row(int tile) const noexcept { return tile / width; }
    [[nodiscard]] constexpr int at(int column, int row) const noexcept { return row * width + column; }

    /// Links that a packet crosses.
    [[nodiscard]] constexpr int hops(int from, int to) const noexcept {
        const int across = column(from) - column(to);
        const int along = row(from) - row(to);
        return (across < 0 ? -across : across) + (along < 0 ? -along : along);
    }
    /// The side by which a packet leaves `here` for `to`.
    [[nodiscard]] constexpr side towards(int here, int to) const noexcept {
        if (column(to) != column(here)) {
            return column(to) > column(here) ? side::east : side::west;
        }
        if (row(to) != row(here)) {
            return row(to) > row(here) ? side::south : side::north;
        }
        return side::core;
    }
    [[nodiscard]] constexpr bool has_neighbour(int tile, side s) const noexcept {
        switch (s) {
        case side::north:
            return row(tile) > 0;
        case side::east:
            return column(tile) + 1 < width;
        case side::south:
            return row(tile) + 1 < height;
        case side::west:
            return column(tile) > 0;
        case side::core:
            break;
        }
        return false;
    }
    /// @pre has_neighbour(tile, s)
    [[nodiscard]] constexpr int neighbour(int tile, side s) const noexcept {
        constexpr std::array across{0, 1, 0, -1, 0};
        constexpr std::array along{-1, 0, 1, 0, 0};
        return tile + across[index(s)] + along[index(s)] * width;
    }
};

} // namespace lisle::tile
