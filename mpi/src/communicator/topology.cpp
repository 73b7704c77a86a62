// SPDX-License-Identifier: Apache-2.0
// Questions to topologies.
#include "communicator/topology.hpp"

#include <cstdint>
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

int cartesian::size() const noexcept {
    return std::accumulate(dims.begin(), dims.end(), 1, std::multiplies{});
}

std::vector<int> cartesian::coordinates(int rank) const {
    std::vector<int> found(dims.size());
    for (std::size_t i = dims.size(); i-- > 0;) {
        found[i] = rank % dims[i];
        rank /= dims[i];
    }
    return found;
}

int cartesian::rank_at(std::span<const int> coordinates) const {
    int rank = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        int place = coordinates[i];
        if (place < 0 || place >= dims[i]) {
            if (!periods[i]) {
                fail(MPI_ERR_ARG, "coordinate ", i, " is ", place, ", but that dimension has ", dims[i],
                     " places and is not periodic");
            }
            place %= dims[i];
            place += place < 0 ? dims[i] : 0;
        }
        rank = rank * dims[i] + place;
    }
    return rank;
}

int cartesian::neighbour(int rank, int dimension, std::int64_t displacement) const noexcept {
    const auto which = static_cast<std::size_t>(dimension);
    std::int64_t stride = 1;
    for (std::size_t i = which + 1; i < dims.size(); ++i) {
        stride *= dims[i];
    }
    const std::int64_t extent = dims[which];
    const std::int64_t place = rank / stride % extent;
    std::int64_t target = place + displacement;
    if (target < 0 || target >= extent) {
        if (!periods[which]) {
            return MPI_PROC_NULL;
        }
        target = (target % extent + extent) % extent;
    }
    return static_cast<int>(rank + (target - place) * stride);
}

std::span<const int> general_graph::neighbours(int rank) const noexcept {
    const auto which = static_cast<std::size_t>(rank);
    const int first = rank == 0 ? 0 : index[which - 1];
    return {edges.data() + first, static_cast<std::size_t>(index[which] - first)};
}

namespace {

std::vector<int> counting(std::size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

neighbourhood around(const cartesian &grid, int rank) {
    neighbourhood found;
    for (int dimension = 0; dimension < grid.dimensions(); ++dimension) {
        for (const int step : {-1, 1}) {
            found.sources.push_back(grid.neighbour(rank, dimension, step));
        }
        // Where both neighbours are one rank, what it sent backwards comes first, and it comes from ahead.
        found.matching.push_back(2 * dimension + 1);
        found.matching.push_back(2 * dimension);
    }
    found.destinations = found.sources;
    return found;
}

neighbourhood around(const general_graph &graph, int rank) {
    const auto near = graph.neighbours(rank);
    return {{near.begin(), near.end()}, {near.begin(), near.end()}, counting(near.size())};
}

neighbourhood around(const adjacent_edges &edges, int) {
    return {edges.sources, edges.destinations, counting(edges.sources.size())};
}

} // namespace

neighbourhood neighbourhood_of(const topology &topology, int rank) {
    return std::visit([rank](const auto &kind) { return around(kind, rank); }, topology);
}

} // namespace lisle
