// SPDX-License-Identifier: Apache-2.0
// A picture of a mesh after a run: how busy each core and each link was.
#pragma once

#include <string>

#include "tile/machine.hpp"

namespace lisle::tile {

/// An SVG. Tiles are shaded by the share of time in which their core did not wait; the two directions
/// of each link by the words they carried, relative to the busiest link.
[[nodiscard]] std::string draw_heat_map(const machine &seen, const std::string &title);

/// The link that carried the most words.
struct busiest_link {
    int tile = 0;
    side exit = side::east;
    std::int64_t words = 0;
};
[[nodiscard]] busiest_link find_busiest_link(const machine &seen);

/// "3 -> 7: 1,071 words, 12.3% of the cycles".
[[nodiscard]] std::string describe(const busiest_link &link, const machine &seen);

} // namespace lisle::tile
