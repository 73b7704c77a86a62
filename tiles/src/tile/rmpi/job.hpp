// SPDX-License-Identifier: Apache-2.0
// Runs a program of ranks that send messages on a modelled machine.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "tile/rmpi/endpoint.hpp"
#include "tile/rmpi/stream.hpp"
#include "tile/tile_array.hpp"

namespace lisle::tile::rmpi {

enum class version : std::uint8_t { v1 = 1, v2, v3 };

/// Ranks 0 to count - 1 on the first tiles, in rows, as in the thesis.
[[nodiscard]] rank_map map_in_rows(const mesh_shape &shape, int count);
/// The same on a rectangle as near to a square as there is room for.
[[nodiscard]] rank_map map_compactly(const mesh_shape &shape, int count);

/// A program for one rank. Tiles without a rank do nothing.
using rank_program = std::function<void(endpoint &)>;

/// Runs `run` on each rank of `tiles`; see tile_array::run. Throws std::invalid_argument if the map names a
/// tile twice, or one that is not there.
std::optional<standstill> run_ranks(tile_array &on, const rank_map &tiles, version with,
                                    const rank_program &run);

/// The streams of an endpoint. Throws std::invalid_argument if its version has none: only the third has.
[[nodiscard]] stream_port &streams_of(endpoint &of);

} // namespace lisle::tile::rmpi
