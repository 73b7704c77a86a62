// SPDX-License-Identifier: Apache-2.0
// Communicators with a topology. Collective over the parent; a null result means that the calling rank is
// not needed. With `reorder` ranks of one process, and processes that are bound to one memory node, come to
// neighbouring places (topology_placement.hpp).
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/shared_attempt.hpp"
#include "communicator/topology.hpp"

namespace lisle {

/// Which rank of the parent would go to which place with `reorder`, as far as the calling rank can see.
/// @pre the topology has no more places than the parent ranks
[[nodiscard]] std::vector<int> placement_of(const communicator &parent, const cartesian &grid);
[[nodiscard]] std::vector<int> placement_of(const communicator &parent, const general_graph &graph);

// Those below are made by all ranks of the parent together: at all of them, or at none.

/// @param own what the caller has done for it so far
[[nodiscard]] communicator_ref create_cartesian(communicator &parent, cartesian grid, bool reorder,
                                                shared_attempt own);
[[nodiscard]] communicator_ref create_graph(communicator &parent, general_graph graph, bool reorder,
                                            shared_attempt own);
/// MPI_Cart_sub. @param kept by dimension: whether it stays
[[nodiscard]] communicator_ref create_subgrid(communicator &parent, const cartesian &grid,
                                              const std::vector<bool> &kept, shared_attempt own);

/// An edge that some rank knows, between ranks of the parent.
struct known_edge {
    int source;
    int destination;
    int weight;
};
/// MPI_Dist_graph_create: each rank knows some edges, anywhere in the graph.
[[nodiscard]] communicator_ref create_distributed_graph(communicator &parent,
                                                        std::span<const known_edge> edges, bool weighted,
                                                        bool reorder, shared_attempt own);
/// MPI_Dist_graph_create_adjacent: each rank knows its own edges.
[[nodiscard]] communicator_ref create_adjacent_graph(communicator &parent, adjacent_edges edges, bool reorder,
                                                     shared_attempt own);

} // namespace lisle
