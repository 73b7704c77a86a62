// SPDX-License-Identifier: Apache-2.0
// The virtual topologies that a communicator can have: a cartesian grid, a graph that every rank knows, or
// a graph of which each rank knows its own edges. A topology is made with its communicator, never changes,
// and is shared with duplicates of the communicator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace lisle {

/// A grid. Ranks count through it in row-major order: the last dimension runs fastest.
struct cartesian {
    std::vector<int> dims;
    std::vector<bool> periods; ///< by dimension: whether its ends are joined

    [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(dims.size()); }
    /// Number of positions: the communicator's size.
    [[nodiscard]] int size() const noexcept;
    /// @pre 0 <= rank < size()
    [[nodiscard]] std::vector<int> coordinates(int rank) const;
    /// The rank at a place; coordinates of joined dimensions may be anything. Throws MPI_ERR_ARG for a
    /// place outside.
    [[nodiscard]] int rank_at(std::span<const int> coordinates) const;
    /// Where one gets from a rank by `displacement` steps along a dimension; MPI_PROC_NULL if outside.
    [[nodiscard]] int neighbour(int rank, int dimension, std::int64_t displacement) const noexcept;
};

/// A graph in the form of MPI_Graph_create: the neighbours of rank i are edges[index[i - 1]..index[i]).
struct general_graph {
    std::vector<int> index;
    std::vector<int> edges;

    [[nodiscard]] int nodes() const noexcept { return static_cast<int>(index.size()); }
    /// @pre 0 <= rank < nodes()
    [[nodiscard]] std::span<const int> neighbours(int rank) const noexcept;
};

/// The edges of one rank, in the order in which neighbourhood collectives use them.
struct adjacent_edges {
    std::vector<int> sources;
    std::vector<int> source_weights; ///< as long as `sources`, empty if the graph is not weighted
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    bool weighted = false;
};

using topology = std::variant<cartesian, general_graph, adjacent_edges>;

/// Whom a rank hears from and whom it tells in a neighbourhood collective; MPI_PROC_NULL stands for the
/// neighbours that a grid does not have.
struct neighbourhood {
    std::vector<int> sources;
    std::vector<int> destinations;
    /// The order in which receives match sends: places in `sources`.
    std::vector<int> matching;
};
[[nodiscard]] neighbourhood neighbourhood_of(const topology &topology, int rank);

/// MPI_Dims_create: fills the zeros of `dims` so that the product is `nodes`, with the numbers as close to
/// each other as they can be and in falling order. Throws MPI_ERR_DIMS if that cannot be.
void balance_dimensions(int nodes, std::span<int> dims);

} // namespace lisle
