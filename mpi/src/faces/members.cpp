// SPDX-License-Identifier: Apache-2.0
// What a call does not say since it follows from the communicator: how long arrays with an entry for each
// rank or neighbour are, and whether the caller is the root.
#include "faces/calls.hpp"

namespace lisle::face {

namespace {

struct degrees {
    int sources = 0;
    int destinations = 0;
};

degrees degrees_of(MPI_Comm comm) noexcept {
    degrees found;
    int topology = MPI_UNDEFINED, dimensions = 0, rank = 0, weighted = 0;
    lisle_calls.MPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        lisle_calls.MPI_Cartdim_get(comm, &dimensions);
        return {2 * dimensions, 2 * dimensions};
    }
    if (topology == MPI_GRAPH) {
        lisle_calls.MPI_Comm_rank(comm, &rank);
        lisle_calls.MPI_Graph_neighbors_count(comm, rank, &found.sources);
        return {found.sources, found.sources};
    }
    if (topology == MPI_DIST_GRAPH) {
        lisle_calls.MPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
    }
    return found; // none: the call itself refuses the communicator
}

bool is_between_groups(MPI_Comm comm) noexcept {
    int between = 0;
    lisle_calls.MPI_Comm_test_inter(comm, &between);
    return between != 0;
}

} // namespace

int size_of(theirs<MPI_Comm> comm) noexcept {
    int size = 0;
    is_between_groups(comm.ours()) ? lisle_calls.MPI_Comm_remote_size(comm.ours(), &size)
                                   : lisle_calls.MPI_Comm_size(comm.ours(), &size);
    return size;
}

int destinations_of(theirs<MPI_Comm> comm) noexcept {
    return degrees_of(comm.ours()).destinations;
}

int sources_of(theirs<MPI_Comm> comm) noexcept {
    return degrees_of(comm.ours()).sources;
}

bool is_root(theirs<MPI_Comm> comm, int root) noexcept {
    int rank = MPI_PROC_NULL;
    return lisle_calls.MPI_Comm_rank(comm.ours(), &rank) == MPI_SUCCESS && rank == root;
}

int sum_of(int count, const int *values) noexcept {
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += values[i];
    }
    return sum;
}

} // namespace lisle::face
