// SPDX-License-Identifier: Apache-2.0
// Communicators whose ranks have neighbours: grids and graphs, and the collectives among neighbours.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

// First: what the compiler says begins with the way to the file.
#include "lisle/datatype/transfer.hpp"

#include "lisle/collective/neighbour.hpp"
#include "lisle/communicator.hpp"

namespace lisle {

/// A communicator with neighbours: base of the three kinds.
class topology : public communicator, public detail::neighbour_calls {
  public:
    using communicator::communicator;

    /// Numbers of sources and destinations of neighbourhood collectives.
    [[nodiscard]] std::pair<std::size_t, std::size_t> degrees() const { return detail::degrees_of(comm_); }

  protected:
    template <class Topology, class Call> static owned<Topology> make(const char *name, Call call) {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(call(&made), name);
        return owned<Topology>{made};
    }
};

/// A grid. A rank's neighbours are the ones before and behind it in each dimension.
///
///     auto grid = lisle::cartesian::create(world, lisle::balanced_dimensions(world.size(), 2), {.periodic =
///     true}); auto [left, right] = grid.shift(1);
class cartesian : public topology {
  public:
    using topology::topology;
    /// What create() is told of a grid besides its extents.
    struct options {
        bool periodic = false;
        bool reorder = false;
    };

    /// Ranks beyond the size of the grid get no communicator. Collective.
    [[nodiscard]] static owned<cartesian> create(const communicator &comm, std::span<const int> dimensions,
                                                 options with) {
        const std::vector<int> periods(dimensions.size(), with.periodic ? 1 : 0);
        return make<cartesian>("MPI_Cart_create", [&](MPI_Comm *made) {
            return MPI_Cart_create(comm.native(), static_cast<int>(dimensions.size()), dimensions.data(),
                                   periods.data(), with.reorder ? 1 : 0, made);
        });
    }
    [[nodiscard]] static owned<cartesian> create(const communicator &comm, std::span<const int> dimensions) {
        return create(comm, dimensions, options{});
    }
    [[nodiscard]] static owned<cartesian> create(const communicator &comm,
                                                 std::initializer_list<int> dimensions, options with) {
        return create(comm, std::span{dimensions.begin(), dimensions.size()}, with);
    }
    [[nodiscard]] static owned<cartesian> create(const communicator &comm,
                                                 std::initializer_list<int> dimensions) {
        return create(comm, dimensions, options{});
    }
    /// How many dimensions the grid has (MPI_Cartdim_get).
    [[nodiscard]] int dimensions() const {
        int result = 0;
        detail::check(MPI_Cartdim_get(comm_, &result), "MPI_Cartdim_get");
        return result;
    }
    /// The length of each dimension.
    [[nodiscard]] std::vector<int> extents() const { return described().extents; }
    /// True for each dimension whose last rank has the first as its neighbour.
    [[nodiscard]] std::vector<bool> periodic() const {
        const std::vector<int> periods = described().periods;
        return {periods.begin(), periods.end()};
    }
    /// Where in the grid a rank is (MPI_Cart_coords).
    [[nodiscard]] std::vector<int> coordinates(int of_rank) const {
        std::vector<int> result(static_cast<std::size_t>(dimensions()));
        detail::check(MPI_Cart_coords(comm_, of_rank, static_cast<int>(result.size()), result.data()),
                      "MPI_Cart_coords", named_value{"rank", of_rank});
        return result;
    }
    /// The rank at a place; in periodic dimensions also at one outside the extents (MPI_Cart_rank).
    [[nodiscard]] int rank_at(std::span<const int> coordinates) const {
        int result = 0;
        detail::check(MPI_Cart_rank(comm_, coordinates.data(), &result), "MPI_Cart_rank");
        return result;
    }
    [[nodiscard]] int rank_at(std::initializer_list<int> coordinates) const {
        return rank_at(std::span{coordinates.begin(), coordinates.size()});
    }
    /// The ranks to receive from and to send to, `steps` away in a dimension; no_rank beyond an edge.
    [[nodiscard]] std::pair<int, int> shift(int dimension, int steps = 1) const {
        std::pair<int, int> result;
        detail::check(MPI_Cart_shift(comm_, dimension, steps, &result.first, &result.second),
                      "MPI_Cart_shift", named_value{"dimension", dimension});
        return result;
    }
    /// The caller's grid of the dimensions that are kept: its row, column or plane. Collective.
    [[nodiscard]] owned<cartesian> sub(std::span<const int> keep) const {
        return make<cartesian>("MPI_Cart_sub",
                               [&](MPI_Comm *made) { return MPI_Cart_sub(comm_, keep.data(), made); });
    }
    [[nodiscard]] owned<cartesian> sub(std::initializer_list<int> keep) const {
        return sub(std::span{keep.begin(), keep.size()});
    }

  private:
    struct description {
        std::vector<int> extents, periods, coordinates;
    };
    [[nodiscard]] description described() const {
        const auto count = static_cast<std::size_t>(dimensions());
        description said{std::vector<int>(count), std::vector<int>(count), std::vector<int>(count)};
        detail::check(MPI_Cart_get(comm_, static_cast<int>(count), said.extents.data(), said.periods.data(),
                                   said.coordinates.data()),
                      "MPI_Cart_get");
        return said;
    }
};

/// Dimensions of a grid of `ranks`, as equal as they can be.
[[nodiscard]] inline std::vector<int> balanced_dimensions(int ranks, int dimensions) {
    std::vector<int> result(static_cast<std::size_t>(dimensions));
    detail::check(MPI_Dims_create(ranks, dimensions, result.data()), "MPI_Dims_create",
                  named_value{"ranks", ranks});
    return result;
}

/// A graph of which every rank knows all edges: the neighbours of each rank.
class graph : public topology {
  public:
    using topology::topology;
    /// Collective; all ranks give the same lists.
    [[nodiscard]] static owned<graph>
    create(const communicator &comm, const std::vector<std::vector<int>> &lists, bool reorder = false) {
        std::vector<int> ends;
        std::vector<int> edges;
        for (const std::vector<int> &list : lists) {
            edges.insert(edges.end(), list.begin(), list.end());
            ends.push_back(static_cast<int>(edges.size()));
        }
        return make<graph>("MPI_Graph_create", [&](MPI_Comm *made) {
            return MPI_Graph_create(comm.native(), static_cast<int>(lists.size()), ends.data(), edges.data(),
                                    reorder ? 1 : 0, made);
        });
    }
    /// The neighbours of a rank (MPI_Graph_neighbors).
    [[nodiscard]] std::vector<int> neighbours_of(int of_rank) const {
        int count = 0;
        detail::check(MPI_Graph_neighbors_count(comm_, of_rank, &count), "MPI_Graph_neighbors_count",
                      named_value{"rank", of_rank});
        std::vector<int> result(static_cast<std::size_t>(count));
        detail::check(MPI_Graph_neighbors(comm_, of_rank, count, result.data()), "MPI_Graph_neighbors");
        return result;
    }
};

/// A graph of which each rank knows only its own edges.
///
///     auto ring = lisle::distributed_graph::create(world, {.sources = {previous}, .destinations = {next}});
///     std::vector<int> got = ring.neighbor_allgather(world.rank());
class distributed_graph : public topology {
  public:
    using topology::topology;
    /// Collective; each rank names its own neighbours.
    [[nodiscard]] static owned<distributed_graph> create(const communicator &comm, const neighbours &mine,
                                                         bool reorder = false) {
        return make<distributed_graph>("MPI_Dist_graph_create_adjacent", [&](MPI_Comm *made) {
            return MPI_Dist_graph_create_adjacent(
                comm.native(), static_cast<int>(mine.sources.size()), mine.sources.data(), MPI_UNWEIGHTED,
                static_cast<int>(mine.destinations.size()), mine.destinations.data(), MPI_UNWEIGHTED,
                MPI_INFO_NULL, reorder ? 1 : 0, made);
        });
    }
    /// From whom the caller gets something and who gets it from the caller (MPI_Dist_graph_neighbors).
    [[nodiscard]] lisle::neighbours neighbours() const { return detail::neighbours_of(comm_); }
};

} // namespace lisle
