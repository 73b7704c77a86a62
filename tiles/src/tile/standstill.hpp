// SPDX-License-Identifier: Apache-2.0
// The reason of a standstill: which tile waits for which, and the ring of waits if there is one.
#pragma once

#include <string>
#include <vector>

#include "tile/machine.hpp"

namespace lisle::tile {

struct wait_of_tile {
    int tile;
    int waits_for; ///< -1: no tile in particular
    bool sending;  ///< its words find no room; otherwise it waits for words
};

struct standstill {
    std::vector<wait_of_tile> waits; ///< all cores that still have an operation
    std::vector<int> ring;           ///< tiles that wait for each other in turn; empty: there is no such ring
};

/// @pre machine.advance() has returned false
[[nodiscard]] standstill explain_standstill(const machine &stopped);

/// "tile 0 sends and waits for tile 1 to take words; ...", the ring first, at most `most` tiles.
[[nodiscard]] std::string describe(const standstill &described, std::size_t most = 16);

} // namespace lisle::tile
