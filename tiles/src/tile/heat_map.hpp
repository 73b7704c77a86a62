// SPDX-License-Identifier: Apache-2.0
// A picture of a mesh after a run: how busy each core and each link was.
#pragma once

#include <string>

#include "tile/machine.hpp"

namespace lisle::tile {

/// An SVG. Tiles are shaded by the share of time in which their core did not wait; the two directions
/// of each link by the words they carried, relative to the busiest link. Links between routers that are not
/// those of neighbouring tiles are not drawn, but a torus's at its edges; of several networks
/// the first is drawn.
[[nodiscard]] std::string draw_heat_map(const machine &seen, const std::string &title);

/// "3 -> 7: 1,071 words, 12.3% of the cycles".
[[nodiscard]] std::string describe(const link_traffic &link, const machine &seen);

} // namespace lisle::tile
