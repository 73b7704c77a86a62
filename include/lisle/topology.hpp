// SPDX-License-Identifier: Apache-2.0
// Communicators whose ranks have neighbours: grids and graphs, and the collectives among neighbours.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

// First: what the compiler says begins with the way to the file.
#include "lisle/datatype/transfer.hpp"

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

    /// Numbers of sources and destinations in the collectives below.
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

    /// Gives an object to all neighbours; what the sources gave, in their order. Serialised objects may have
    /// any sizes; a neighbour that is none gives an empty one.
    template <object_to_collect T> [[nodiscard]] auto neighbor_allgather(const T &given) const {
        using taken = detail::taken<T>;
        if constexpr (taken::in_memory) {
            const auto &object = detail::object_in(given);
            const auto data = as_buffer(object);
            std::vector<typename taken::element> got(taken::count(object) * degrees().first);
            detail::check(MPI_Neighbor_allgather_c(data.address, data.count, data.type, got.data(),
                                                   data.count, data.type, comm_),
                          "MPI_Neighbor_allgather", named_value{"count", data.count});
            return got;
        } else {
            return ineighbor_allgather(given).wait();
        }
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
    /// One object for each destination, of any types and sizes; one from each source: lists, strings, all
    /// that is serialised.
    ///
    ///     std::vector<std::vector<int>> got = ring.neighbor_alltoallv(one_list_for_each_destination);
    template <detail::fit T>
    requires(!direct<T>) [[nodiscard]] std::vector<T> neighbor_alltoallv(std::vector<T> objects) const {
        return ineighbor_alltoallv(std::move(objects)).wait();
    }
    /// neighbor_allgather() into memory that exists: a buffer, resized(container), or grown(container).
    template <object_in_memory T, place_to_fill Into>
    void neighbor_allgather_into(const T &object, Into &&into) const {
        const auto data = as_buffer(object);
        void *const room = detail::room_for<detail::sent_element<T>>(
            into, detail::sent_objects(object) * degrees().first, "lisle::neighbor_allgather_into");
        detail::check(
            MPI_Neighbor_allgather_c(data.address, data.count, data.type, room, data.count, data.type, comm_),
            "MPI_Neighbor_allgather", named_value{"count", data.count});
    }
    /// neighbor_alltoall() into memory that exists.
    template <direct_range R, place_to_fill Into>
    void neighbor_alltoall_into(const R &range, Into &&into) const {
        using element = detail::element_of<const R &>;
        const auto [in, out] = degrees();
        const std::size_t each = out != 0 ? std::ranges::size(range) / out : 0;
        const auto count = static_cast<MPI_Count>(each) * detail::wire<element>::count;
        const MPI_Datatype type = detail::wire<element>::type();
        void *const room = detail::room_for<element>(into, each * in, "lisle::neighbor_alltoall_into");
        detail::check(
            MPI_Neighbor_alltoall_c(std::ranges::data(range), count, type, room, count, type, comm_),
            "MPI_Neighbor_alltoall", named_value{"count", count});
    }
    /// Gives a range of any size to all neighbours; what the sources gave, joined, and how much each gave.
    /// Counts that are not given come with the data.
    ///
    ///     auto [values, counts] = ring.neighbor_allgatherv(mine);
    template <direct_range R>
    [[nodiscard]] auto neighbor_allgatherv(const R &range, known_counts with = {}) const {
        using element = detail::element_of<const R &>;
        if (with.counts.empty()) {
            const auto whole = [](const std::span<const element> &kept, std::size_t) { return kept; };
            return detail::join(
                among_neighbours<std::vector<element>>(
                    std::span<const element>{std::ranges::data(range), std::ranges::size(range)}, whole)
                    .wait());
        }
        blocks<element> got = room_for<element>(with.counts, degrees().first, "lisle::neighbor_allgatherv");
        const detail::block_list<element> list{got.counts};
        const buffer data = as_buffer(range);
        detail::check(MPI_Neighbor_allgatherv_c(data.address, data.count, data.type, got.data.data(),
                                                list.counts.data(), list.offsets.data(), data.type, comm_),
                      "MPI_Neighbor_allgatherv", named_value{"count", data.count});
        return got;
    }
    /// Gives `counts[i]` objects of a range to the i-th destination. Receive counts that are not given come
    /// with the data.
    ///
    ///     auto [values, counts] = ring.neighbor_alltoallv(out, how_many);
    template <direct_range R> [[nodiscard]] auto neighbor_alltoallv(const R &range, counts_view counts,
                                                                    known_counts receive = {}) const {
        using element = detail::element_of<const R &>;
        constexpr auto call = "lisle::neighbor_alltoallv";
        const auto [sources, destinations] = degrees();
        require_counts(counts, destinations, call);
        const detail::block_list<element> out{counts};
        if (out.total > std::ranges::size(range))
            detail::raise_final(MPI_ERR_COUNT, call,
                                {{"objects", static_cast<long long>(std::ranges::size(range))},
                                 {"sum of counts", static_cast<long long>(out.total)}},
                                "the counts say more objects than there are");
        if (receive.counts.empty())
            return detail::join(among_neighbours<std::vector<element>>(
                                    pieces_of<element>(std::ranges::data(range), counts),
                                    [](const auto &kept, std::size_t i) { return kept[i]; })
                                    .wait());
        blocks<element> got = room_for<element>(receive.counts, sources, call);
        const detail::block_list<element> in{got.counts};
        const MPI_Datatype type = detail::wire<element>::type();
        detail::check(MPI_Neighbor_alltoallv_c(std::ranges::data(range), out.counts.data(),
                                               out.offsets.data(), type, got.data.data(), in.counts.data(),
                                               in.offsets.data(), type, comm_),
                      "MPI_Neighbor_alltoallv");
        return got;
    }

    // ---- that go on while the program computes: nonblocking_collective.hpp ----

    template <object_to_own T> [[nodiscard]] auto ineighbor_allgather(T &&object) const {
        using taken = detail::taken<T>;
        using out = std::vector<typename taken::element>;
        auto owner = std::make_unique<detail::two_objects<typename taken::value, out>>(
            detail::own(std::forward<T>(object)));
        owner->out.resize(taken::count(owner->in) * degrees().first);
        const auto data = as_buffer(owner->in);
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ineighbor_allgather_c(data.address, data.count, data.type, owner->out.data(),
                                                data.count, data.type, comm_, &request),
                      "MPI_Ineighbor_allgather", named_value{"count", data.count});
        return future<out>{request, std::move(owner)};
    }
    template <object_to_pack T> [[nodiscard]] auto ineighbor_allgather(T &&object) const {
        using type = typename detail::taken<T>::value;
        return among_neighbours<type>(
            detail::posted<type>(detail::own(std::forward<T>(object))),
            [](const detail::posted<type> &kept, std::size_t) -> const auto & { return kept.travelling(); });
    }
    template <elements_to_pack T> [[nodiscard]] auto ineighbor_allgather(T &&range) const {
        return ineighbor_allgather(detail::own(std::forward<T>(range))).then([](auto &&ranges) {
            return detail::joined_elements(std::move(ranges));
        });
    }
    template <range_to_own R> [[nodiscard]] auto ineighbor_alltoall(R &&range) const {
        using in = std::remove_cvref_t<R>;
        using element = detail::element_of<in &>;
        const auto [sources, destinations] = degrees();
        auto owner =
            std::make_unique<detail::two_objects<in, std::vector<element>>>(in(std::forward<R>(range)));
        const std::size_t each = destinations != 0 ? std::ranges::size(owner->in) / destinations : 0;
        const auto count = static_cast<MPI_Count>(each) * detail::wire<element>::count;
        owner->out.resize(each * sources);
        const MPI_Datatype type = detail::wire<element>::type();
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Ineighbor_alltoall_c(std::ranges::data(owner->in), count, type, owner->out.data(),
                                               count, type, comm_, &request),
                      "MPI_Ineighbor_alltoall", named_value{"count", count});
        return future<std::vector<element>>{request, std::move(owner)};
    }
    template <detail::fit T>
    requires(!direct<T>)
        [[nodiscard]] future<std::vector<T>> ineighbor_alltoallv(std::vector<T> objects) const {
        if (objects.size() != degrees().second)
            detail::raise_final(MPI_ERR_COUNT, "lisle::neighbor_alltoallv",
                                {{"objects", static_cast<long long>(objects.size())},
                                 {"destinations", static_cast<long long>(degrees().second)}},
                                "there must be one object for each destination");
        return among_neighbours<T>(
            std::move(objects),
            [](const std::vector<T> &kept, std::size_t i) -> const T & { return kept[i]; });
    }

    // ---- that are prepared once: persistent_collective.hpp ----

    /// `into` has room for what each source gives.
    template <direct_buffer T, class R>
    [[nodiscard]] persistent neighbor_allgather_init(borrowed<T> from, borrowed<R> into) const {
        detail::require_writable<R &>();
        const auto data = as_buffer(from.get());
        const auto all = as_buffer(into.get());
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Neighbor_allgather_init_c(data.address, data.count, data.type, all.writable(),
                                                    data.count, data.type, comm_, MPI_INFO_NULL, &request),
                      "MPI_Neighbor_allgather_init", named_value{"count", data.count});
        return persistent{request};
    }
    /// One equal part for each destination, one from each source.
    template <direct_buffer A, class B>
    [[nodiscard]] persistent neighbor_alltoall_init(borrowed<A> from, borrowed<B> into) const {
        detail::require_writable<B &>();
        const auto data = as_buffer(from.get());
        const auto all = as_buffer(into.get());
        const auto destinations = static_cast<MPI_Count>(degrees().second);
        const MPI_Count count = destinations != 0 ? data.count / destinations : 0;
        MPI_Request request = MPI_REQUEST_NULL;
        detail::check(MPI_Neighbor_alltoall_init_c(data.address, count, data.type, all.writable(), count,
                                                   data.type, comm_, MPI_INFO_NULL, &request),
                      "MPI_Neighbor_alltoall_init", named_value{"count", count});
        return persistent{request};
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal neighbor_allgather(unfit) const;
    refusal neighbor_alltoall(no_range) const;
    refusal neighbor_allgatherv(no_range, known_counts = {}) const;
    refusal neighbor_alltoallv(no_range) const;
    refusal neighbor_alltoallv(no_range, counts_view, known_counts = {}) const;
    refusal neighbor_allgather_into(detail::from_memory, detail::any_place) const;
    refusal neighbor_alltoall_into(detail::from_range, detail::any_place) const;
    refusal ineighbor_allgather(unfit) const;
    refusal ineighbor_alltoall(no_range) const;
    refusal ineighbor_alltoallv(no_range) const;
    refusal neighbor_allgather_init(not_in_memory, anything) const;
    refusal neighbor_alltoall_init(not_in_memory, anything) const;

  protected:
    static void require_counts(counts_view counts, std::size_t needed, const char *call) {
        if (counts.size() != needed)
            detail::raise_final(MPI_ERR_COUNT, call,
                                {{"counts", static_cast<long long>(counts.size())},
                                 {"neighbours", static_cast<long long>(needed)}},
                                "there must be one count for each neighbour");
    }
    /// Room for what as many sources give as there are counts.
    template <class T> static blocks<T> room_for(counts_view counts, std::size_t sources, const char *call) {
        require_counts(counts, sources, call);
        blocks<T> room{{}, {counts.begin(), counts.end()}};
        room.data.resize(detail::block_list<T>{counts}.total);
        return room;
    }
    /// What goes to each destination.
    template <class T> static auto pieces_of(const T *next, counts_view counts) {
        std::vector<std::span<const T>> pieces;
        for (const MPI_Count count : counts) {
            pieces.emplace_back(next, static_cast<std::size_t>(count));
            next += count;
        }
        return pieces;
    }
    /// One message along each edge. `part(kept, i)` is what goes to the i-th destination.
    template <class T, class Kept, class Part>
    future<std::vector<T>> among_neighbours(Kept kept, Part part) const {
        const lisle::neighbours edges = edges_of_all_sorts();
        // What goes down in a dimension comes from above, also if both neighbours are the same rank.
        const std::size_t turned = is_grid() ? 1 : 0;
        const auto tag_of = [turned](std::size_t edge) {
            return detail::first_neighbour_tag + (turned != 0 ? static_cast<int>(edge) : 0);
        };
        std::vector<std::size_t> there; // the sources that exist
        for (std::size_t i = 0; i < edges.sources.size(); ++i)
            if (edges.sources[i] != MPI_PROC_NULL)
                there.push_back(i);
        const auto start = [&](auto &messages) {
            for (const std::size_t i : there)
                messages.receive(edges.sources[i], tag_of(i ^ turned));
            for (std::size_t i = 0; i < edges.destinations.size(); ++i)
                if (edges.destinations[i] != MPI_PROC_NULL)
                    messages.send(part(messages.kept, i), edges.destinations[i], tag_of(i));
        };
        return detail::begin_collected<T>(
            comm_, std::move(kept), start,
            [there, sources = edges.sources.size()](Kept &, std::vector<T> &&came) {
                std::vector<T> all(sources);
                for (std::size_t i = 0; i < there.size(); ++i)
                    all[there[i]] = std::move(came[i]);
                return all;
            });
    }
    [[nodiscard]] bool is_grid() const {
        int kind = MPI_UNDEFINED;
        detail::check(MPI_Topo_test(comm_, &kind), "MPI_Topo_test");
        return kind == MPI_CART;
    }
    /// Whom neighbourhood collectives receive from and send to; on a grid that may be nobody.
    [[nodiscard]] lisle::neighbours edges_of_all_sorts() const {
        const auto [in, out] = degrees();
        lisle::neighbours edges{std::vector<int>(in), std::vector<int>(out)};
        int kind = MPI_UNDEFINED;
        detail::check(MPI_Topo_test(comm_, &kind), "MPI_Topo_test");
        if (kind == MPI_CART) {
            for (std::size_t i = 0; i < in; i += 2)
                detail::check(MPI_Cart_shift(comm_, static_cast<int>(i / 2), 1, &edges.sources[i],
                                             &edges.sources[i + 1]),
                              "MPI_Cart_shift");
            edges.destinations = edges.sources;
        } else if (kind == MPI_GRAPH) {
            detail::check(MPI_Graph_neighbors(comm_, rank(), static_cast<int>(in), edges.sources.data()),
                          "MPI_Graph_neighbors");
            edges.destinations = edges.sources;
        } else {
            std::vector<int> weights(std::max(in, out));
            detail::check(MPI_Dist_graph_neighbors(comm_, static_cast<int>(in), edges.sources.data(),
                                                   weights.data(), static_cast<int>(out),
                                                   edges.destinations.data(), weights.data()),
                          "MPI_Dist_graph_neighbors");
        }
        return edges;
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
    /// The length of each dimension.
    [[nodiscard]] std::vector<int> extents() const { return described().extents; }
    /// True for each dimension whose last rank has the first as its neighbour.
    [[nodiscard]] std::vector<bool> periodic() const {
        const std::vector<int> periods = described().periods;
        return {periods.begin(), periods.end()};
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
    [[nodiscard]] lisle::neighbours neighbours() const { return edges_of_all_sorts(); }
};

} // namespace lisle
