// SPDX-License-Identifier: Apache-2.0
// Where to put whom: given which ranks live together and who talks with whom how much, an order of the
// ranks in which neighbours are together as far as possible. Pure computation, so all ranks that give it
// the same arguments get the same answer; never worse than leaving the order as it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "communicator/topology.hpp"

namespace lisle {

/// One direction of traffic between two places of a topology.
struct traffic_link {
    int from;
    int to;
    std::int64_t weight;
};

/// The traffic of one topology.
[[nodiscard]] std::vector<traffic_link> links_of(const cartesian &grid);
[[nodiscard]] std::vector<traffic_link> links_of(const general_graph &graph);

/// The weight of the links between places whose ranks live in different homes. @param home by rank
/// @param rank_at by place
[[nodiscard]] std::int64_t distant_traffic(std::span<const traffic_link> links, std::span<const int> home,
                                           std::span<const int> rank_at);

/// Which rank goes to which place of a grid. @param home by rank: where it lives; as many as places
[[nodiscard]] std::vector<int> place_on_grid(const cartesian &grid, std::span<const int> home);
/// The same for a graph given by its links.
[[nodiscard]] std::vector<int> place_on_graph(int places, std::span<const traffic_link> links,
                                              std::span<const int> home);

} // namespace lisle
