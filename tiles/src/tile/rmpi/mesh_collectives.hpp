// SPDX-License-Identifier: Apache-2.0
// Broadcast and reduction along trees of the mesh, in parts: a tile passes one on while the next is on its
// way.
#pragma once

#include "tile/rmpi/collectives.hpp"

namespace lisle::tile::rmpi {

void broadcast_on_mesh(endpoint &self, int root, std::span<word> data);
void reduce_on_mesh(endpoint &self, int root, std::span<const word> mine, std::span<word> result,
                    combiner combine);
/// The rank nearest to the middle of all ranks' tiles: a good root where it can be chosen.
[[nodiscard]] int middle_rank(const endpoint &self);

} // namespace lisle::tile::rmpi
