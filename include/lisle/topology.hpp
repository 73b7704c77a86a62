// SPDX-License-Identifier: Apache-2.0
// Communicators whose ranks have neighbours: grids and graphs, and the collectives among neighbours.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

/// Whom a rank receives from and sends to in neighbourhood collectives, in their order.
struct neighbours {
    std::vector<int> sources;
    std::vector<int> destinations;
};

/// A communicator with neighbours: base of the three sorts.
class topology : public communicator {
  public:
    using communicator::communicator;

    /// Gives an object to all neighbours; what the sources gave, in their order.
    template <object_to_send T> [[nodiscard]] auto neighbor_allgather(const T &object) const {
        using element = detail::object_element<T>;
        const auto data = as_buffer(object);
        std::vector<element> got(detail::objects_in(object) * degrees().first);
        detail::check(MPI_Neighbor_allgather_c(data.address, data.count, data.type, got.data(), data.count,
                                               data.type, comm_),
                      "MPI_Neighbor_allgather", named_value{"count", data.count});
        return got;
    }
    /// Gives the i-th of equal parts to the i-th destination; one part from each source.
    template <direct_range R> [[nodiscard]] auto neighbor_alltoall(const R &range) const {
        using element = detail::element_of<const R &>;
        const auto [in, out] = degrees();
        const std::size_t each = out != 0 ? std::ranges::size(range) / out : 0;
        const auto count = static_cast<MPI_Count>(each) * detail::wire<element>::count;
        std::vector<element> got(each * in);
        const MPI_Datatype type = detail::wire<element>::type();
        detail::check(
            MPI_Neighbor_alltoall_c(std::ranges::data(range), count, type, got.data(), count, type, comm_),
            "MPI_Neighbor_alltoall", named_value{"count", count});
        return got;
    }
    /// One list for each destination, of any sizes; one from each source. Sizes travel first.
    template <direct T> [[nodiscard]] std::vector<std::vector<T>>
    neighbor_alltoallv(const std::vector<std::vector<T>> &lists) const {
        std::vector<MPI_Count> counts;
        std::vector<T> joined;
        for (const std::vector<T> &list : lists) {
            counts.push_back(static_cast<MPI_Count>(list.size()));
            joined.insert(joined.end(), list.begin(), list.end());
        }
        const std::vector<MPI_Count> coming = neighbor_alltoall(counts);
        const detail::block_list<T> out{counts};
        const detail::block_list<T> in{coming};
        std::vector<T> got(in.total);
        const MPI_Datatype type = detail::wire<T>::type();
        detail::check(MPI_Neighbor_alltoallv_c(joined.data(), out.counts.data(), out.offsets.data(), type,
                                               got.data(), in.counts.data(), in.offsets.data(), type, comm_),
                      "MPI_Neighbor_alltoallv");
        std::vector<std::vector<T>> result;
        auto next = got.begin();
        for (const MPI_Count count : coming) {
            result.emplace_back(next, next + count);
            next += count;
        }
        return result;
    }

  protected:
    /// Numbers of sources and destinations.
    [[nodiscard]] std::pair<std::size_t, std::size_t> degrees() const {
        int kind = MPI_UNDEFINED;
        int in = 0;
        int out = 0;
        int weighted = 0;
        detail::check(MPI_Topo_test(comm_, &kind), "MPI_Topo_test");
        if (kind == MPI_DIST_GRAPH) {
            detail::check(MPI_Dist_graph_neighbors_count(comm_, &in, &out, &weighted),
                          "MPI_Dist_graph_neighbors_count");
        } else if (kind == MPI_GRAPH) {
            detail::check(MPI_Graph_neighbors_count(comm_, rank(), &in), "MPI_Graph_neighbors_count");
            out = in;
        } else {
            detail::check(MPI_Cartdim_get(comm_, &in), "MPI_Cartdim_get");
            out = in *= 2;
        }
        return {static_cast<std::size_t>(in), static_cast<std::size_t>(out)};
    }
    template <class Topology, class Call> static owned<Topology> make(const char *name, Call call) {
        MPI_Comm made = MPI_COMM_NULL;
        detail::check(call(&made), name);
        return owned<Topology>{made};
    }
};

/// A grid. Its neighbours are those before and behind in each dimension.
///
///     auto grid = lisle::cartesian::create(world, lisle::balanced_dimensions(world.size(), 2), {.periodic =
///     true}); auto [left, right] = grid.shift(1);
class cartesian : public topology {
  public:
    using topology::topology;
    struct options {
        bool periodic = false;
        bool reorder = false;
    };

    /// Ranks that find no place in the grid get none. Collective.
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
    [[nodiscard]] int dimensions() const {
        int result = 0;
        detail::check(MPI_Cartdim_get(comm_, &result), "MPI_Cartdim_get");
        return result;
    }
    [[nodiscard]] std::vector<int> coordinates(int of_rank) const {
        std::vector<int> result(static_cast<std::size_t>(dimensions()));
        detail::check(MPI_Cart_coords(comm_, of_rank, static_cast<int>(result.size()), result.data()),
                      "MPI_Cart_coords", named_value{"rank", of_rank});
        return result;
    }
    [[nodiscard]] int rank_at(std::span<const int> coordinates) const {
        int result = 0;
        detail::check(MPI_Cart_rank(comm_, coordinates.data(), &result), "MPI_Cart_rank");
        return result;
    }
    /// Whom to receive from and whom to send to, `steps` away in a dimension; no_rank beyond an edge.
    [[nodiscard]] std::pair<int, int> shift(int dimension, int steps = 1) const {
        std::pair<int, int> result;
        detail::check(MPI_Cart_shift(comm_, dimension, steps, &result.first, &result.second),
                      "MPI_Cart_shift", named_value{"dimension", dimension});
        return result;
    }
    /// The grids of the dimensions that are kept: rows, columns, planes. Collective.
    [[nodiscard]] owned<cartesian> sub(std::span<const int> keep) const {
        return make<cartesian>("MPI_Cart_sub",
                               [&](MPI_Comm *made) { return MPI_Cart_sub(comm_, keep.data(), made); });
    }
};

/// Dimensions of a grid of `ranks`, as equal as they can be.
[[nodiscard]] inline std::vector<int> balanced_dimensions(int ranks, int dimensions) {
    std::vector<int> result(static_cast<std::size_t>(dimensions));
    detail::check(MPI_Dims_create(ranks, dimensions, result.data()), "MPI_Dims_create",
                  named_value{"ranks", ranks});
    return result;
}

/// A graph that every rank knows wholly: the neighbours of each rank.
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
    [[nodiscard]] std::vector<int> neighbours_of(int of_rank) const {
        int count = 0;
        detail::check(MPI_Graph_neighbors_count(comm_, of_rank, &count), "MPI_Graph_neighbors_count",
                      named_value{"rank", of_rank});
        std::vector<int> result(static_cast<std::size_t>(count));
        detail::check(MPI_Graph_neighbors(comm_, of_rank, count, result.data()), "MPI_Graph_neighbors");
        return result;
    }
};

/// A graph of which every rank knows its own edges only.
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
    [[nodiscard]] lisle::neighbours neighbours() const {
        const auto [in, out] = degrees();
        lisle::neighbours result{std::vector<int>(in), std::vector<int>(out)};
        std::vector<int> weights(std::max(in, out));
        detail::check(MPI_Dist_graph_neighbors(comm_, static_cast<int>(in), result.sources.data(),
                                               weights.data(), static_cast<int>(out),
                                               result.destinations.data(), weights.data()),
                      "MPI_Dist_graph_neighbors");
        return result;
    }
};

} // namespace lisle
