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

/// The same of all ranks, and the same for all of them: a process may be bound anew while they look.
std::vector<dwelling> agreed_homes(communicator &parent, shared_attempt &own) {
    std::vector<dwelling> homes;
    const party all{parent.channel(message_space::agreement), parent.next_agreement_tag()};
    if (parent.rank() == 0) {
        own.attempt([&] { homes = homes_of(parent, parent.size()); });
    }
    shared_attempt told; // the others count on it, whatever has failed so far
    told.attempt([&] { all.broadcast_list(homes, static_cast<std::size_t>(parent.size())); });
    own.attempt([&] { told.check(); });
    return homes;
}

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

int place_of(std::span<const int> rank_at, int rank) {
    return static_cast<int>(std::find(rank_at.begin(), rank_at.end(), rank) - rank_at.begin());
}

/// The calling rank's part of a communicator of the parent's ranks in this order, with context 0. Nothing: it
/// is none of them.
communicator_ref make_part(communicator &parent, std::span<const int> ranks, topology shape) {
    refuse_lost_members(parent);
    const int self = place_of(ranks, parent.rank());
    if (static_cast<std::size_t>(self) == ranks.size()) {
        return {};
    }
    communicator_ref made = make_child(parent, 0, *subgroup(parent.local_group(), ranks), nullptr, self);
    made->shape = std::make_shared<const topology>(std::move(shape));
    return made;
}

/// The communicator of the parent's ranks in this order.
communicator_ref create_ordered(communicator &parent, std::span<const int> ranks, topology shape,
                                shared_attempt &own) {
    return make_together(parent, parent.next_agreement_tag(), own,
                         [&] { return make_part(parent, ranks, std::move(shape)); });
}

/// The communicator of all the parent's ranks in their order, without a list of them: each rank of a large
/// job would make one.
communicator_ref create_alike(communicator &parent, topology shape, shared_attempt &own) {
    return make_together(parent, parent.next_agreement_tag(), own, [&] {
        refuse_lost_members(parent);
        communicator_ref made = make_child(parent, 0, parent.local_group(), nullptr, parent.rank());
        made->shape = std::make_shared<const topology>(std::move(shape));
        return made;
    });
}

} // namespace

std::vector<int> placement_of(const communicator &parent, const cartesian &grid) {
    return place_on_grid(grid, homes_of(parent, grid.size()));
}

std::vector<int> placement_of(const communicator &parent, const general_graph &graph) {
    return place_on_graph(graph.nodes(), links_of(graph), homes_of(parent, graph.nodes()));
}

communicator_ref create_cartesian(communicator &parent, cartesian grid, bool reorder, shared_attempt own) {
    if (!reorder && grid.size() == parent.size()) {
        return create_alike(parent, std::move(grid), own);
    }
    std::vector<dwelling> homes;
    if (reorder) {
        homes = agreed_homes(parent, own);
    }
    std::vector<int> rank_at;
    own.attempt([&] {
        homes.resize(reorder ? static_cast<std::size_t>(grid.size()) : 0);
        rank_at = reorder ? place_on_grid(grid, homes) : first_ranks(grid.size());
    });
    return create_ordered(parent, rank_at, std::move(grid), own);
}

communicator_ref create_graph(communicator &parent, general_graph graph, bool reorder, shared_attempt own) {
    std::vector<dwelling> homes;
    if (reorder) {
        homes = agreed_homes(parent, own);
    }
    std::vector<int> rank_at;
    own.attempt([&] {
        homes.resize(reorder ? static_cast<std::size_t>(graph.nodes()) : 0);
        rank_at =
            reorder ? place_on_graph(graph.nodes(), links_of(graph), homes) : first_ranks(graph.nodes());
    });
    return create_ordered(parent, rank_at, std::move(graph), own);
}

namespace {

/// The dimensions that are kept.
cartesian part_of(const cartesian &grid, const std::vector<bool> &kept) {
    cartesian part;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) {
            part.dims.push_back(grid.dims[i]);
            part.periods.push_back(grid.periods[i]);
        }
    }
    return part;
}

/// The ranks of the caller's part: all whose coordinates in the other dimensions are the caller's.
std::vector<int> ranks_of(const cartesian &part, const cartesian &grid, const std::vector<bool> &kept,
                          int rank) {
    std::vector<int> place = grid.coordinates(rank);
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
    return ranks;
}

} // namespace

communicator_ref create_subgrid(communicator &parent, const cartesian &grid, const std::vector<bool> &kept,
                                shared_attempt own) {
    const int tag = parent.next_agreement_tag();
    communicator_ref made;
    std::uint64_t context = 0;
    own.attempt([&] {
        cartesian part = part_of(grid, kept);
        const std::vector<int> ranks = ranks_of(part, grid, kept, parent.rank());
        made = make_part(parent, ranks, std::move(part));
        context = next_context();
    });
    own.settle(parent, tag);
    // Each part has the context that its first rank proposes.
    party{parent.channel(message_space::agreement), tag, made->local_group(), made->rank()}.broadcast(
        context);
    check_context(context);
    made->settle_context(context);
    return made;
}

namespace {

constexpr std::size_t most_edges = std::size_t{1} << 31;

/// The lists of all ranks of the parent, one after the other in order of ranks. All ranks make the call,
/// whatever has failed so far.
template <class T>
std::vector<T> gather_lists(communicator &parent, std::span<const T> given, shared_attempt &own) {
    std::vector<T> all;
    shared_attempt told;
    told.attempt([&] {
        all = party{parent.channel(message_space::agreement), parent.next_agreement_tag()}.allgather_lists(
            given, most_edges);
    });
    own.attempt([&] { told.check(); });
    return all;
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

void check_ranks(std::span<const known_edge> edges, int size) {
    for (const known_edge &edge : edges) {
        check_rank(edge.source, size);
        check_rank(edge.destination, size);
    }
}

/// What a distributed graph is made of at one rank: its place, and who is where.
struct distributed_graph {
    std::vector<int> rank_at;
    adjacent_edges edges;
};

/// @param homes of all ranks; empty: no rank changes its place
std::vector<int> placement_of(const communicator &parent, std::span<const known_edge> edges,
                              std::span<const dwelling> homes) {
    return homes.empty() ? first_ranks(parent.size()) : place_on_graph(parent.size(), links_of(edges), homes);
}

/// The caller's part of the graph whose edges these are.
distributed_graph part_of(const communicator &parent, std::span<const known_edge> incoming,
                          std::span<const known_edge> outgoing, bool weighted,
                          std::span<const dwelling> homes) {
    check_ranks(incoming, parent.size());
    check_ranks(outgoing, parent.size());
    distributed_graph part;
    part.rank_at = placement_of(parent, outgoing, homes);
    const int self = place_of(part.rank_at, parent.rank());
    part.edges.weighted = weighted;
    for (const known_edge &edge : incoming) {
        if (edge.destination == self) {
            part.edges.sources.push_back(edge.source);
            part.edges.source_weights.push_back(edge.weight);
        }
    }
    for (const known_edge &edge : outgoing) {
        if (edge.source == self) {
            part.edges.destinations.push_back(edge.destination);
            part.edges.destination_weights.push_back(edge.weight);
        }
    }
    return part;
}

} // namespace

communicator_ref create_distributed_graph(communicator &parent, std::span<const known_edge> edges,
                                          bool weighted, bool reorder, shared_attempt own) {
    const auto all = gather_lists(parent, edges, own);
    std::vector<dwelling> homes;
    if (reorder) {
        homes = agreed_homes(parent, own);
    }
    distributed_graph part;
    own.attempt([&] { part = part_of(parent, all, all, weighted, homes); });
    return create_ordered(parent, part.rank_at, std::move(part.edges), own);
}

communicator_ref create_adjacent_graph(communicator &parent, adjacent_edges edges, bool reorder,
                                       shared_attempt own) {
    if (!reorder) {
        return create_alike(parent, std::move(edges), own);
    }
    // A place may go to another rank, so its edges may, too: everyone gets all, in the order given.
    std::vector<known_edge> incoming;
    std::vector<known_edge> outgoing;
    own.attempt([&] {
        for (std::size_t i = 0; i < edges.sources.size(); ++i) {
            incoming.push_back(
                {edges.sources[i], parent.rank(), edges.weighted ? edges.source_weights[i] : 1});
        }
        for (std::size_t i = 0; i < edges.destinations.size(); ++i) {
            outgoing.push_back(
                {parent.rank(), edges.destinations[i], edges.weighted ? edges.destination_weights[i] : 1});
        }
    });
    const auto all_incoming = gather_lists<known_edge>(parent, incoming, own);
    const auto all_outgoing = gather_lists<known_edge>(parent, outgoing, own);
    std::vector<dwelling> homes = agreed_homes(parent, own);
    distributed_graph part;
    own.attempt([&] { part = part_of(parent, all_incoming, all_outgoing, edges.weighted, homes); });
    return create_ordered(parent, part.rank_at, std::move(part.edges), own);
}

} // namespace lisle
