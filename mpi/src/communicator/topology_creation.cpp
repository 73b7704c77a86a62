// SPDX-License-Identifier: Apache-2.0
#include "communicator/topology_creation.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/hardware.hpp"
#include "communicator/topology_placement.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

/// Where the first `count` ranks of a communicator live. Of a job on several hosts all ranks know the hosts
/// alike, but each sees only its own host's parts: there a host counts as one.
std::vector<dwelling> homes_of(const communicator &comm, int count) {
    const job &job = this_rank().get_job();
    std::vector<dwelling> homes(static_cast<std::size_t>(count));
    std::map<int, int> nodes; // by process
    const bool has_one_host = job.places().nodes() == 1;
    const memory_nodes machine;
    // Hosts of other jobs count as others than the parts of this one.
    const int hosts_behind = has_one_host ? most_memory_nodes : 0;
    for (int rank = 0; rank < count; ++rank) {
        const int number = comm.local_group().member(rank);
        const int process = job.process_of(number);
        const auto [node, is_new] = nodes.try_emplace(process, 0);
        if (is_new) {
            node->second = has_one_host && job.has(number) ? machine.node_of(job.start().pid_of(process))
                                                           : hosts_behind + job.node_of(number);
        }
        homes[static_cast<std::size_t>(rank)] = {process, node->second};
    }
    return homes;
}

/// The same, and the same for all: a process may be bound anew while they look.
std::vector<dwelling> agreed_homes(communicator &parent, int count) {
    auto homes =
        parent.rank() == 0 ? homes_of(parent, count) : std::vector<dwelling>(static_cast<std::size_t>(count));
    party{parent.channel(message_space::agreement), parent.next_agreement_tag()}.broadcast(std::span{homes});
    return homes;
}

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

/// The communicator of the parent's ranks in this order.
communicator_ref create_ordered(communicator &parent, std::span<const int> ranks) {
    return create_from_members(parent, *subgroup(parent.local_group(), ranks));
}

communicator_ref with_topology(communicator_ref made, topology shape) {
    if (made) {
        made->shape = std::make_shared<const topology>(std::move(shape));
    }
    return made;
}

} // namespace

std::vector<int> placement_of(const communicator &parent, const cartesian &grid) {
    return place_on_grid(grid, homes_of(parent, grid.size()));
}

std::vector<int> placement_of(const communicator &parent, const general_graph &graph) {
    return place_on_graph(graph.nodes(), links_of(graph), homes_of(parent, graph.nodes()));
}

communicator_ref create_cartesian(communicator &parent, cartesian grid, bool reorder) {
    const auto rank_at =
        reorder ? place_on_grid(grid, agreed_homes(parent, grid.size())) : first_ranks(grid.size());
    return with_topology(create_ordered(parent, rank_at), std::move(grid));
}

communicator_ref create_graph(communicator &parent, general_graph graph, bool reorder) {
    const auto rank_at =
        reorder ? place_on_graph(graph.nodes(), links_of(graph), agreed_homes(parent, graph.nodes()))
                : first_ranks(graph.nodes());
    return with_topology(create_ordered(parent, rank_at), std::move(graph));
}

communicator_ref create_subgrid(communicator &parent, const cartesian &grid, const std::vector<bool> &kept) {
    cartesian part;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) {
            part.dims.push_back(grid.dims[i]);
            part.periods.push_back(grid.periods[i]);
        }
    }
    // The members: all whose coordinates in the other dimensions are the caller's.
    std::vector<int> place = grid.coordinates(parent.rank());
    std::vector<int> ranks;
    for (int inner = 0; inner < part.size(); ++inner) {
        const auto coordinates = part.coordinates(inner);
        auto next = coordinates.begin();
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i]) {
                place[i] = *next++;
            }
        }
        ranks.push_back(grid.rank_at(place));
    }
    return with_topology(create_ordered(parent, ranks), std::move(part));
}

namespace {

constexpr std::size_t most_edges = std::size_t{1} << 31;

/// The lists of all ranks of the parent, one after the other in order of ranks.
template <class T> std::vector<T> gather_lists(communicator &parent, std::span<const T> own) {
    return party{parent.channel(message_space::agreement), parent.next_agreement_tag()}.allgather_lists(
        own, most_edges);
}

void check_rank(int rank, int size) {
    if (rank < 0 || rank >= size) {
        fail(MPI_ERR_OTHER, "a peer named rank ", rank, " in an edge of a graph of ", size, " ranks");
    }
}

std::vector<traffic_link> links_of(std::span<const known_edge> edges) {
    std::vector<traffic_link> links;
    links.reserve(edges.size());
    for (const known_edge &edge : edges) {
        links.push_back({edge.source, edge.destination, edge.weight});
    }
    return links;
}

std::vector<int> placement_of(communicator &parent, std::span<const known_edge> edges, bool reorder) {
    return reorder ? place_on_graph(parent.size(), links_of(edges), agreed_homes(parent, parent.size()))
                   : first_ranks(parent.size());
}

int place_of(std::span<const int> rank_at, int rank) {
    return static_cast<int>(std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin());
}

} // namespace

communicator_ref create_distributed_graph(communicator &parent, std::span<const known_edge> edges,
                                          bool weighted, bool reorder) {
    const auto all = gather_lists(parent, edges);
    for (const known_edge &edge : all) {
        check_rank(edge.source, parent.size());
        check_rank(edge.destination, parent.size());
    }
    const auto rank_at = placement_of(parent, all, reorder);
    const int self = place_of(rank_at, parent.rank());
    adjacent_edges own;
    own.weighted = weighted;
    for (const known_edge &edge : all) {
        if (edge.source == self) {
            own.destinations.push_back(edge.destination);
            own.destination_weights.push_back(edge.weight);
        }
        if (edge.destination == self) {
            own.sources.push_back(edge.source);
            own.source_weights.push_back(edge.weight);
        }
    }
    return with_topology(create_ordered(parent, rank_at), std::move(own));
}

communicator_ref create_adjacent_graph(communicator &parent, adjacent_edges own, bool reorder) {
    if (!reorder) {
        return with_topology(create_ordered(parent, first_ranks(parent.size())), std::move(own));
    }
    // A place may go to another rank, so its edges may, too: everyone gets all, in the order given.
    std::vector<known_edge> incoming;
    std::vector<known_edge> outgoing;
    for (std::size_t i = 0; i < own.sources.size(); ++i) {
        incoming.push_back({own.sources[i], parent.rank(), own.weighted ? own.source_weights[i] : 1});
    }
    for (std::size_t i = 0; i < own.destinations.size(); ++i) {
        outgoing.push_back(
            {parent.rank(), own.destinations[i], own.weighted ? own.destination_weights[i] : 1});
    }
    const auto all_incoming = gather_lists<known_edge>(parent, incoming);
    const auto all_outgoing = gather_lists<known_edge>(parent, outgoing);
    for (const auto *const list : {&all_incoming, &all_outgoing}) {
        for (const known_edge &edge : *list) {
            check_rank(edge.source, parent.size());
            check_rank(edge.destination, parent.size());
        }
    }
    const auto rank_at = placement_of(parent, all_outgoing, true);
    const int self = place_of(rank_at, parent.rank());
    adjacent_edges placed;
    placed.weighted = own.weighted;
    for (const known_edge &edge : all_incoming) {
        if (edge.destination == self) {
            placed.sources.push_back(edge.source);
            placed.source_weights.push_back(edge.weight);
        }
    }
    for (const known_edge &edge : all_outgoing) {
        if (edge.source == self) {
            placed.destinations.push_back(edge.destination);
            placed.destination_weights.push_back(edge.weight);
        }
    }
    return with_topology(create_ordered(parent, rank_at), std::move(placed));
}

} // namespace lisle
