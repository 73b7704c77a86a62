// SPDX-License-Identifier: Apache-2.0
// Trees for collectives that know the mesh: every edge is short, and no two edges share a link in one
// direction.
#pragma once

#include <cstddef>
#include <vector>

#include "tile/network/geometry.hpp"

namespace lisle::tile::rmpi {

/// The place of one rank in a tree.
struct tree_place {
    int parent = -1; ///< -1: the root
    std::vector<int> children;
};

/// Two chains from the root along a path that winds through all rows: each rank forwards once, but the path
/// is long. For few tiles or long data.
[[nodiscard]] tree_place place_on_path(const mesh_shape &shape, const std::vector<int> &tiles, int root,
                                       int rank);

/// From the root along its column, and from there along each row: short, but those in the column forward up
/// to three times. For many tiles and short data.
[[nodiscard]] tree_place place_on_cross(const mesh_shape &shape, const std::vector<int> &tiles, int root,
                                        int rank);

} // namespace lisle::tile::rmpi
