// SPDX-License-Identifier: Apache-2.0
// Where to put whom: given where ranks live and who talks with whom how much, an order of the ranks in which
// neighbours are together as far as possible: in one process, or else on one memory node. Pure computation,
// so all ranks that give it the same arguments get the same answer; never worse than leaving the order as it
// is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "communicator/topology.hpp"

namespace lisle {

/// Where a rank lives.
struct dwelling {
    int process = 0;
    int node = 0; ///< the host, or on one host the part with memory of its own that the process is bound to
    friend bool operator==(const dwelling &, const dwelling &) = default;
};

/// How far apart: 0 within a process of one node.
[[nodiscard]] inline int distance(const dwelling &left, const dwelling &right) noexcept {
    return (left.process != right.process ? 1 : 0) + (left.node != right.node ? 1 : 0);
}

/// One direction of traffic between two places of a topology.
struct traffic_link {
    int from;
    int to;
    std::int64_t weight;
};

/// The traffic of one topology.
[[nodiscard]] std::vector<traffic_link> links_of(const cartesian &grid);
[[nodiscard]] std::vector<traffic_link> links_of(const general_graph &graph);

/// The weights of the links times the distances between the ranks at their ends. @param home by rank
/// @param rank_at by place
[[nodiscard]] std::int64_t distant_traffic(std::span<const traffic_link> links,
                                           std::span<const dwelling> home, std::span<const int> rank_at);

/// Which rank goes to which place of a grid. @param home by rank: where it lives; as many as places
[[nodiscard]] std::vector<int> place_on_grid(const cartesian &grid, std::span<const dwelling> home);
/// The same for a graph given by its links.
[[nodiscard]] std::vector<int> place_on_graph(int places, std::span<const traffic_link> links,
                                              std::span<const dwelling> home);

} // namespace lisle
