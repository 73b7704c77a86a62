// SPDX-License-Identifier: Apache-2.0
// The routings of each kind of topology, for make_routing() to choose from.
#pragma once

#include <functional>

#include "tile/network/routing.hpp"

namespace lisle::tile {

/// A routing that needs at least so many lanes, and how it is made for more. What `make` refers to must
/// outlive the routing.
struct routing_choice {
    int least_lanes = 1;
    std::function<std::unique_ptr<routing>(int lanes)> make;
};

// Each throws std::invalid_argument with a sentence if the topology does not have the routing.
[[nodiscard]] routing_choice choose_grid_routing(const parameters &machine);
[[nodiscard]] routing_choice choose_tree_routing(const parameters &machine);
[[nodiscard]] routing_choice choose_dragonfly_routing(const parameters &machine);
/// For any graph, and for what is left of a topology when something is broken.
[[nodiscard]] routing_choice choose_table_routing(const parameters &machine, const wiring &joined);

} // namespace lisle::tile
