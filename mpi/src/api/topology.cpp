// SPDX-License-Identifier: Apache-2.0
#include "api/topology.hpp"

#include <algorithm>
#include <cstdint>

#include "api/compared_calls.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "communicator/topology_creation.hpp"

namespace lisle::api {

namespace {

void check_intra(const communicator &comm) {
    if (comm.inter()) {
        fail(MPI_ERR_COMM, comm.label(),
             " is an inter-communicator: only intra-communicators have topologies");
    }
}

/// An array that is needed only if it has elements.
void check_array(const int *array, int count, const char *argument) {
    if (array == nullptr && count > 0) {
        fail(MPI_ERR_ARG, argument, " is a null pointer");
    }
}

template <class Kind> const char *name_of();
template <> const char *name_of<cartesian>() {
    return "cartesian";
}
template <> const char *name_of<general_graph>() {
    return "graph";
}
template <> const char *name_of<adjacent_edges>() {
    return "distributed graph";
}

template <class Kind> const Kind &topology_of(const communicator &comm) {
    const Kind *const found = comm.shape ? std::get_if<Kind>(comm.shape.get()) : nullptr;
    if (found == nullptr) {
        fail(MPI_ERR_TOPOLOGY, comm.label(), " has no ", name_of<Kind>(), " topology");
    }
    return *found;
}

void check_member(const communicator &comm, int rank) {
    if (rank < 0 || rank >= comm.size()) {
        fail(MPI_ERR_RANK, "rank ", rank, " is outside ", comm.label(), ", which has ", comm.size(),
             " ranks");
    }
}

cartesian grid_from(const communicator &comm, int ndims, const int *dims, const int *periods) {
    check_intra(comm);
    if (ndims < 0) {
        fail(MPI_ERR_DIMS, "ndims is ", ndims, ", which is negative");
    }
    check_array(dims, ndims, "dims");
    check_array(periods, ndims, "periods");
    cartesian grid;
    std::int64_t places = 1;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] <= 0) {
            fail(MPI_ERR_DIMS, "dims[", i, "] is ", dims[i], "; it must be positive");
        }
        places *= dims[i];
        if (places > comm.size()) {
            fail(MPI_ERR_DIMS, "the grid has more places (at least ", places, ") than ", comm.label(),
                 " has ranks (", comm.size(), ")");
        }
        grid.dims.push_back(dims[i]);
        grid.periods.push_back(periods[i] != 0);
    }
    return grid;
}

general_graph graph_from(const communicator &comm, int nnodes, const int *index, const int *edges) {
    check_intra(comm);
    if (nnodes < 0 || nnodes > comm.size()) {
        fail(MPI_ERR_ARG, "nnodes is ", nnodes, ", but ", comm.label(), " has ", comm.size(), " ranks");
    }
    check_array(index, nnodes, "index");
    general_graph graph;
    for (int node = 0, before = 0; node < nnodes; ++node) {
        if (index[node] < before) {
            fail(MPI_ERR_ARG, "index[", node, "] is ", index[node], ", less than the ", before, " before it");
        }
        graph.index.push_back(before = index[node]);
    }
    const int count = graph.index.empty() ? 0 : graph.index.back();
    check_array(edges, count, "edges");
    for (int i = 0; i < count; ++i) {
        if (edges[i] < 0 || edges[i] >= nnodes) {
            fail(MPI_ERR_ARG, "edges[", i, "] is ", edges[i], ", but there are ", nnodes, " nodes");
        }
        graph.edges.push_back(edges[i]);
    }
    return graph;
}

int place_in(const std::vector<int> &rank_at, int rank) {
    const auto found = std::find(rank_at.begin(), rank_at.end(), rank);
    return found == rank_at.end() ? MPI_UNDEFINED : static_cast<int>(found - rank_at.begin());
}

/// The first `most` of them.
void store(std::span<const int> values, int most, int *into) {
    std::copy_n(values.begin(), std::min<std::size_t>(values.size(), static_cast<std::size_t>(most)), into);
}

void check_ends(const communicator &comm, int count, const int *ranks, const char *argument) {
    if (count < 0) {
        fail(MPI_ERR_ARG, "the number of ", argument, " is ", count, ", which is negative");
    }
    check_array(ranks, count, argument);
    for (int i = 0; i < count; ++i) {
        if (ranks[i] < 0 || ranks[i] >= comm.size()) {
            fail(MPI_ERR_RANK, argument, '[', i, "] is ", ranks[i], ", outside ", comm.label(),
                 ", which has ", comm.size(), " ranks");
        }
    }
}

int weight_at(const int *weights, std::size_t index, const char *argument) {
    if (weights[index] < 0) {
        fail(MPI_ERR_ARG, argument, '[', index, "] is ", weights[index], ", which is negative");
    }
    return weights[index];
}

void check_weights(const int *weights, int count, const char *argument) {
    if (count > 0 && (weights == nullptr || weights == MPI_WEIGHTS_EMPTY)) {
        fail(MPI_ERR_ARG, argument, " holds no weights, but there are ", count, " edges");
    }
}

/// Weights of edges, or none for MPI_UNWEIGHTED.
std::vector<int> weights_from(const int *weights, int count, const char *argument) {
    std::vector<int> found;
    if (weights == MPI_UNWEIGHTED) {
        return found;
    }
    check_weights(weights, count, argument);
    for (int i = 0; i < count; ++i) {
        found.push_back(weight_at(weights, static_cast<std::size_t>(i), argument));
    }
    return found;
}

/// What describes a topology, behind how many dimensions or nodes it has; nothing if programs are not
/// checked.
std::vector<int> to_compare(const auto &of_each, const auto &others) {
    std::vector<int> all;
    if (checks(check_level::cheap)) {
        all.push_back(static_cast<int>(of_each.size()));
        all.insert(all.end(), of_each.begin(), of_each.end());
        all.insert(all.end(), others.begin(), others.end());
    }
    return all;
}

} // namespace

void cart_create(communicator &comm_old, int ndims, const int dims[], const int periods[], int reorder,
                 MPI_Comm *comm_cart) {
    *comm_cart = MPI_COMM_NULL; // also if the grid is too large
    shared_attempt own;
    cartesian grid;
    std::vector<int> given;
    own.allocate([&] {
        grid = grid_from(comm_old, ndims, dims, periods);
        given = to_compare(grid.dims, grid.periods);
    });
    abi::compare_topologies(comm_old, given, "grid, sizes and periods,");
    *comm_cart = give_handle(create_cartesian(comm_old, std::move(grid), reorder != 0, own));
}

void dims_create(int nnodes, int ndims, int dims[]) {
    if (ndims < 0) {
        fail(MPI_ERR_DIMS, "ndims is ", ndims, ", which is negative");
    }
    check_array(dims, ndims, "dims");
    if (ndims > 0) {
        balance_dimensions(nnodes, {dims, static_cast<std::size_t>(ndims)});
    }
}

void graph_create(communicator &comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                  MPI_Comm *comm_graph) {
    shared_attempt own;
    general_graph graph;
    std::vector<int> given;
    own.allocate([&] {
        graph = graph_from(comm_old, nnodes, indx, edges);
        given = to_compare(graph.index, graph.edges);
    });
    abi::compare_topologies(comm_old, given, "graph, indices and edges,");
    *comm_graph = give_handle(create_graph(comm_old, std::move(graph), reorder != 0, own));
}

void dist_graph_create(communicator &comm_old, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], info *, int reorder,
                       MPI_Comm *comm_dist_graph) {
    check_intra(comm_old);
    check_ends(comm_old, n, sources, "sources");
    check_array(degrees, n, "degrees");
    std::int64_t count = 0;
    for (int i = 0; i < n; ++i) {
        if (degrees[i] < 0) {
            fail(MPI_ERR_ARG, "degrees[", i, "] is ", degrees[i], ", which is negative");
        }
        count += degrees[i];
    }
    const bool weighted = weights != MPI_UNWEIGHTED;
    if (weighted) {
        check_weights(weights, count > 0 ? 1 : 0, "weights");
    }
    check_array(destinations, count > 0 ? 1 : 0, "destinations");
    shared_attempt own;
    std::vector<known_edge> edges;
    own.allocate([&] {
        std::size_t next = 0;
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < degrees[i]; ++k, ++next) {
                const int to = destinations[next];
                if (to < 0 || to >= comm_old.size()) {
                    fail(MPI_ERR_RANK, "destinations[", next, "] is ", to, ", outside ", comm_old.label(),
                         ", which has ", comm_old.size(), " ranks");
                }
                edges.push_back({sources[i], to, weighted ? weight_at(weights, next, "weights") : 1});
            }
        }
    });
    *comm_dist_graph = give_handle(create_distributed_graph(comm_old, edges, weighted, reorder != 0, own));
}

void dist_graph_create_adjacent(communicator &comm_old, int indegree, const int sources[],
                                const int sourceweights[], int outdegree, const int destinations[],
                                const int destweights[], info *, int reorder, MPI_Comm *comm_dist_graph) {
    check_intra(comm_old);
    check_ends(comm_old, indegree, sources, "sources");
    check_ends(comm_old, outdegree, destinations, "destinations");
    if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED)) {
        fail(MPI_ERR_ARG, "one of sourceweights and destweights is MPI_UNWEIGHTED and the other is not");
    }
    abi::compare_edges(comm_old, {sources, static_cast<std::size_t>(indegree)},
                       {destinations, static_cast<std::size_t>(outdegree)});
    shared_attempt own;
    adjacent_edges edges;
    edges.weighted = sourceweights != MPI_UNWEIGHTED;
    own.allocate([&] {
        edges.sources.assign(sources, sources + indegree);
        edges.destinations.assign(destinations, destinations + outdegree);
        edges.source_weights = weights_from(sourceweights, indegree, "sourceweights");
        edges.destination_weights = weights_from(destweights, outdegree, "destweights");
    });
    *comm_dist_graph = give_handle(create_adjacent_graph(comm_old, std::move(edges), reorder != 0, own));
}

void topo_test(communicator &comm, int *status) {
    constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH}; // in the order of the variant
    *status = comm.shape ? kinds[comm.shape->index()] : MPI_UNDEFINED;
}

void graphdims_get(communicator &comm, int *nnodes, int *nedges) {
    const auto &graph = topology_of<general_graph>(comm);
    *nnodes = graph.nodes();
    *nedges = static_cast<int>(graph.edges.size());
}

void graph_get(communicator &comm, int maxindex, int maxedges, int indx[], int edges[]) {
    const auto &graph = topology_of<general_graph>(comm);
    check_array(indx, maxindex, "index");
    check_array(edges, maxedges, "edges");
    store(graph.index, maxindex, indx);
    store(graph.edges, maxedges, edges);
}

void cartdim_get(communicator &comm, int *ndims) {
    *ndims = topology_of<cartesian>(comm).dimensions();
}

void cart_get(communicator &comm, int maxdims, int dims[], int periods[], int coords[]) {
    const auto &grid = topology_of<cartesian>(comm);
    check_array(dims, maxdims, "dims");
    check_array(periods, maxdims, "periods");
    check_array(coords, maxdims, "coords");
    store(grid.dims, maxdims, dims);
    store(std::vector<int>(grid.periods.begin(), grid.periods.end()), maxdims, periods);
    store(grid.coordinates(comm.rank()), maxdims, coords);
}

void cart_rank(communicator &comm, const int coords[], int *rank) {
    const auto &grid = topology_of<cartesian>(comm);
    check_array(coords, grid.dimensions(), "coords");
    *rank = grid.rank_at({coords, grid.dims.size()});
}

void cart_coords(communicator &comm, int rank, int maxdims, int coords[]) {
    const auto &grid = topology_of<cartesian>(comm);
    check_member(comm, rank);
    check_array(coords, maxdims, "coords");
    store(grid.coordinates(rank), maxdims, coords);
}

void graph_neighbors_count(communicator &comm, int rank, int *nneighbors) {
    const auto &graph = topology_of<general_graph>(comm);
    check_member(comm, rank);
    *nneighbors = static_cast<int>(graph.neighbours(rank).size());
}

void graph_neighbors(communicator &comm, int rank, int maxneighbors, int neighbors[]) {
    const auto &graph = topology_of<general_graph>(comm);
    check_member(comm, rank);
    check_array(neighbors, maxneighbors, "neighbors");
    store(graph.neighbours(rank), maxneighbors, neighbors);
}

void dist_graph_neighbors_count(communicator &comm, int *indegree, int *outdegree, int *weighted) {
    const auto &edges = topology_of<adjacent_edges>(comm);
    *indegree = static_cast<int>(edges.sources.size());
    *outdegree = static_cast<int>(edges.destinations.size());
    *weighted = edges.weighted ? 1 : 0;
}

void dist_graph_neighbors(communicator &comm, int maxindegree, int sources[], int sourceweights[],
                          int maxoutdegree, int destinations[], int destweights[]) {
    const auto &edges = topology_of<adjacent_edges>(comm);
    check_array(sources, maxindegree, "sources");
    check_array(destinations, maxoutdegree, "destinations");
    store(edges.sources, maxindegree, sources);
    store(edges.destinations, maxoutdegree, destinations);
    if (edges.weighted) { // otherwise the arrays stay as they are
        check_weights(sourceweights, std::min<int>(maxindegree, static_cast<int>(edges.sources.size())),
                      "sourceweights");
        check_weights(destweights, std::min<int>(maxoutdegree, static_cast<int>(edges.destinations.size())),
                      "destweights");
        store(edges.source_weights, maxindegree, sourceweights);
        store(edges.destination_weights, maxoutdegree, destweights);
    }
}

void cart_shift(communicator &comm, int direction, int disp, int *rank_source, int *rank_dest) {
    const auto &grid = topology_of<cartesian>(comm);
    if (direction < 0 || direction >= grid.dimensions()) {
        fail(MPI_ERR_ARG, "direction is ", direction, ", but ", comm.label(), " has ", grid.dimensions(),
             " dimensions");
    }
    *rank_source = grid.neighbour(comm.rank(), direction, -std::int64_t{disp});
    *rank_dest = grid.neighbour(comm.rank(), direction, disp);
}

void cart_sub(communicator &comm, const int remain_dims[], MPI_Comm *newcomm) {
    const auto &grid = topology_of<cartesian>(comm);
    check_array(remain_dims, grid.dimensions(), "remain_dims");
    shared_attempt own;
    std::vector<bool> kept;
    own.allocate([&] {
        kept.reserve(static_cast<std::size_t>(grid.dimensions()));
        for (int i = 0; i < grid.dimensions(); ++i) {
            kept.push_back(remain_dims[i] != 0);
        }
    });
    *newcomm = give_handle(create_subgrid(comm, grid, kept, own));
}

void cart_map(communicator &comm, int ndims, const int dims[], const int periods[], int *newrank) {
    *newrank = place_in(placement_of(comm, grid_from(comm, ndims, dims, periods)), comm.rank());
}

void graph_map(communicator &comm, int nnodes, const int indx[], const int edges[], int *newrank) {
    *newrank = place_in(placement_of(comm, graph_from(comm, nnodes, indx, edges)), comm.rank());
}

} // namespace lisle::api
