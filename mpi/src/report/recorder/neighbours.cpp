// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/neighbours.hpp"

#include <cstddef>

namespace lisle::report {

namespace {

neighbours of_grid(MPI_Comm comm) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    neighbours found;
    for (int dimension = 0; dimension != dimensions; ++dimension) {
        int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
        PMPI_Cart_shift(comm, dimension, 1, &below, &above);
        found.sources.insert(found.sources.end(), {below, above});
    }
    found.destinations = 2 * dimensions;
    return found;
}

neighbours of_graph(MPI_Comm comm) {
    int rank = 0, count = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    neighbours found{std::vector<int>(static_cast<std::size_t>(count)), count};
    PMPI_Graph_neighbors(comm, rank, count, found.sources.data());
    return found;
}

neighbours of_distributed_graph(MPI_Comm comm) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    neighbours found{std::vector<int>(static_cast<std::size_t>(in)), out};
    // A graph that has weights writes them, too.
    std::vector<int> destinations(static_cast<std::size_t>(out)), weights_in(found.sources.size()),
        weights_out(destinations.size());
    PMPI_Dist_graph_neighbors(comm, in, found.sources.data(), weights_in.data(), out, destinations.data(),
                              weights_out.data());
    return found;
}

} // namespace

neighbours neighbours_of(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &topology);
    switch (topology) {
    case MPI_CART:
        return of_grid(comm);
    case MPI_GRAPH:
        return of_graph(comm);
    case MPI_DIST_GRAPH:
        return of_distributed_graph(comm);
    default:
        return {};
    }
}

} // namespace lisle::report
