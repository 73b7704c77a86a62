// SPDX-License-Identifier: Apache-2.0
// What a call does not say since it follows from the communicator: how long arrays with an entry for each
// rank or neighbour are, and whether the caller is the root.
#include "fortran/calls.hpp"

namespace lisle::fortran {

namespace {

struct degrees {
    int sources = 0;
    int destinations = 0;
};

degrees degrees_of(MPI_Comm comm) noexcept {
    degrees found;
    int topology = MPI_UNDEFINED;
    int dimensions = 0, rank = 0, weighted = 0;
    PMPI_Topo_test(comm, &topology);
    switch (topology) {
    case MPI_CART:
        PMPI_Cartdim_get(comm, &dimensions);
        return {2 * dimensions, 2 * dimensions};
    case MPI_GRAPH:
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &found.sources);
        return {found.sources, found.sources};
    case MPI_DIST_GRAPH:
        PMPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
        return found;
    default:
        return {}; // the call itself refuses the communicator
    }
}

} // namespace

int size_of(const int *comm) noexcept {
    const auto of = handle<MPI_Comm>(comm);
    int between = 0, size = 0;
    PMPI_Comm_test_inter(of, &between);
    if (between != 0) {
        PMPI_Comm_remote_size(of, &size);
    } else {
        PMPI_Comm_size(of, &size);
    }
    return size;
}

int destinations_of(const int *comm) noexcept {
    return degrees_of(handle<MPI_Comm>(comm)).destinations;
}

int sources_of(const int *comm) noexcept {
    return degrees_of(handle<MPI_Comm>(comm)).sources;
}

bool is_root(const int *comm, const int *root) noexcept {
    const auto of = handle<MPI_Comm>(comm);
    int between = 0, self = MPI_PROC_NULL;
    PMPI_Comm_test_inter(of, &between);
    if (between != 0) {
        return *root == MPI_ROOT;
    }
    return PMPI_Comm_rank(of, &self) == MPI_SUCCESS && self == *root;
}

} // namespace lisle::fortran
