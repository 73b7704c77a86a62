// SPDX-License-Identifier: Apache-2.0
// Which arguments of a collective mean something, and how long its arrays are: asked where calls are recorded
// and where they are made again.
#pragma once

#include <numeric>
#include <span>

#include "mpi.h"

namespace lisle::replay {

[[nodiscard]] inline bool is_intercommunicator(MPI_Comm comm) noexcept {
    int flag = 0;
    PMPI_Comm_test_inter(comm, &flag);
    return flag != 0;
}

/// The arguments that have a meaning at the root alone have one here.
[[nodiscard]] inline bool at_root(MPI_Comm comm, int root) noexcept {
    if (root == MPI_ROOT || root == MPI_PROC_NULL || is_intercommunicator(comm)) {
        return root == MPI_ROOT;
    }
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}
/// Those that have one where data come from the root, or go to it.
[[nodiscard]] inline bool beside_root(MPI_Comm, int root) noexcept {
    return root >= 0;
}

[[nodiscard]] inline int own_members(MPI_Comm comm) noexcept {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}
/// The ranks that a collective's data go to or come from.
[[nodiscard]] inline int members(MPI_Comm comm) noexcept {
    int size = own_members(comm);
    if (is_intercommunicator(comm)) {
        PMPI_Comm_remote_size(comm, &size);
    }
    return size;
}

[[nodiscard]] inline int dimensions(MPI_Comm comm) noexcept {
    int count = 0, kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &count);
    }
    return count;
}

struct degrees {
    int sources = 0, destinations = 0;
};
[[nodiscard]] inline degrees degrees_of(MPI_Comm comm) noexcept {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    degrees found;
    if (kind == MPI_CART) {
        found.sources = found.destinations = 2 * dimensions(comm);
    } else if (kind == MPI_GRAPH) {
        int rank = 0;
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &found.sources);
        found.destinations = found.sources;
    } else if (kind == MPI_DIST_GRAPH) {
        int weighted = 0;
        PMPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
    }
    return found;
}
[[nodiscard]] inline int sources_of(MPI_Comm comm) noexcept {
    return degrees_of(comm).sources;
}
[[nodiscard]] inline int destinations_of(MPI_Comm comm) noexcept {
    return degrees_of(comm).destinations;
}

/// Of the edges of MPI_Graph_create.
[[nodiscard]] inline int last_of(std::span<const int> index) noexcept {
    return index.empty() ? 0 : index.back();
}
[[nodiscard]] inline int sum(std::span<const int> counts) noexcept {
    return std::accumulate(counts.begin(), counts.end(), 0);
}

} // namespace lisle::replay
