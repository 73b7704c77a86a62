// SPDX-License-Identifier: Apache-2.0
// Collectives among neighbours: the ranks that a rank of a grid or a graph receives from and sends to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/alltoall.hpp"

namespace lisle {

class topology;

/// The ranks that a rank receives from and sends to in neighbourhood collectives, in their order.
struct neighbours {
    std::vector<int> sources;
    std::vector<int> destinations;
};

} // namespace lisle

namespace lisle::detail {

inline int topology_kind(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    check(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
    return kind;
}

/// Numbers of sources and destinations.
inline std::pair<std::size_t, std::size_t> degrees_of(MPI_Comm comm) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    switch (topology_kind(comm)) {
    case MPI_DIST_GRAPH:
        check(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted), "MPI_Dist_graph_neighbors_count");
        break;
    case MPI_GRAPH:
        check(MPI_Graph_neighbors_count(comm, rank_in(comm), &in), "MPI_Graph_neighbors_count");
        out = in;
        break;
    default:
        check(MPI_Cartdim_get(comm, &in), "MPI_Cartdim_get");
        out = in *= 2;
    }
    return {static_cast<std::size_t>(in), static_cast<std::size_t>(out)};
}

/// Their ranks; MPI_PROC_NULL beyond the edge of a grid.
inline neighbours neighbours_of(MPI_Comm comm) {
    const auto [in, out] = degrees_of(comm);
    neighbours edges{std::vector<int>(in), std::vector<int>(out)};
    switch (topology_kind(comm)) {
    case MPI_CART:
        for (std::size_t i = 0; i < in; i += 2)
            check(MPI_Cart_shift(comm, static_cast<int>(i / 2), 1, &edges.sources[i], &edges.sources[i + 1]),
                  "MPI_Cart_shift");
        edges.destinations = edges.sources;
        break;
    case MPI_GRAPH:
        check(MPI_Graph_neighbors(comm, rank_in(comm), static_cast<int>(in), edges.sources.data()),
              "MPI_Graph_neighbors");
        edges.destinations = edges.sources;
        break;
    default:
        std::vector<int> weights(std::max(in, out));
        check(MPI_Dist_graph_neighbors(comm, static_cast<int>(in), edges.sources.data(), weights.data(),
                                       static_cast<int>(out), edges.destinations.data(), weights.data()),
              "MPI_Dist_graph_neighbors");
    }
    return edges;
}

namespace operations {

struct neighbor_allgather : as_given {
    static constexpr mpi_functions mpi{"Neighbor_allgather", MPI_Neighbor_allgather_c,
                                       MPI_Ineighbor_allgather_c, MPI_Neighbor_allgather_init_c};
    static constexpr bool alike = false;
    static amounts amounts_of(std::size_t objects, MPI_Count elements, MPI_Comm comm, const char *) {
        return {objects * degrees_of(comm).first, elements};
    }
};
struct neighbor_allgatherv : neighbor_allgather {
    static constexpr mpi_functions mpi{"Neighbor_allgatherv", MPI_Neighbor_allgatherv_c,
                                       MPI_Ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init_c};
};
/// Sends equal blocks to each destination; nothing where there is none.
struct neighbor_alltoall : as_given {
    static constexpr mpi_functions mpi{"Neighbor_alltoall", MPI_Neighbor_alltoall_c, MPI_Ineighbor_alltoall_c,
                                       MPI_Neighbor_alltoall_init_c};
    static constexpr bool alike = false;
    static amounts amounts_of(std::size_t objects, MPI_Count elements, MPI_Comm comm, const char *) {
        const auto [sources, destinations] = degrees_of(comm);
        if (destinations == 0)
            return {0, 0};
        return {objects / destinations * sources, elements / static_cast<MPI_Count>(destinations)};
    }
};
struct neighbor_alltoallv : neighbor_alltoall {
    static constexpr mpi_functions mpi{"Neighbor_alltoallv", MPI_Neighbor_alltoallv_c,
                                       MPI_Ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init_c};
};

} // namespace operations

inline void require_counts(counts_view counts, std::size_t needed, const char *call) {
    if (counts.size() != needed)
        raise_final(MPI_ERR_COUNT, call,
                    {{"counts", static_cast<long long>(counts.size())},
                     {"neighbours", static_cast<long long>(needed)}},
                    "there must be one count for each neighbour");
}

/// One message along each edge. `part(kept, i)` is what goes to the i-th destination.
template <class T, class Kept, class Part>
future<std::vector<T>> start_among_neighbours(MPI_Comm comm, Kept kept, Part part) {
    const neighbours edges = neighbours_of(comm);
    // A message sent downwards in a dimension is received from above, even if both neighbours are one rank.
    const std::size_t turned = topology_kind(comm) == MPI_CART ? 1 : 0;
    const auto tag_of = [turned](std::size_t edge) {
        return first_neighbour_tag + (turned != 0 ? static_cast<int>(edge) : 0);
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
    return begin_messages<T>(comm, std::move(kept), start,
                             [there, sources = edges.sources.size()](Kept &, std::vector<T> &&came) {
                                 std::vector<T> all(sources);
                                 for (std::size_t i = 0; i < there.size(); ++i)
                                     all[there[i]] = std::move(came[i]);
                                 return all;
                             });
}

/// The functions of topologies.
class neighbour_calls : public collective_calls<neighbour_calls, topology> {
    using allgather = operations::neighbor_allgather;
    using alltoall = operations::neighbor_alltoall;

  public:
    /// Sends an object to all destinations and returns the objects of the sources, in their order. Serialised
    /// objects may have any sizes; a source that does not exist gives an empty one.
    template <object_to_collect T> [[nodiscard]] auto neighbor_allgather(const T &given) const {
        using taken = detail::taken<T>;
        if constexpr (taken::in_memory)
            return move_blocks<allgather, taken>(object_in(given), 0, comm());
        else
            return ineighbor_allgather(given).wait();
    }
    /// neighbor_allgather() into memory that exists: a buffer, resized(container), or grown(container).
    template <object_in_memory T, place_to_fill Into>
    void neighbor_allgather_into(const T &object, Into &&into) const {
        move_blocks_into<allgather>(blocking{}, object, into, 0, comm());
    }
    template <object_to_combine T> [[nodiscard]] auto ineighbor_allgather(T &&object) const {
        using type = typename taken<T>::value;
        if constexpr (elements_to_pack<T>)
            return ineighbor_allgather(own(std::forward<T>(object))).then([](auto &&ranges) {
                return joined_elements(std::move(ranges));
            });
        else if constexpr (object_to_pack<T>)
            return start_among_neighbours<type>(
                comm(), outgoing<type>(own(std::forward<T>(object))),
                [](const outgoing<type> &kept, std::size_t) -> const auto & { return kept.travelling(); });
        else
            return start_to_move_blocks<allgather, taken<T>>(own(std::forward<T>(object)), 0, comm());
    }
    /// `into` has room for what each source gives.
    template <direct_buffer T, class R>
    [[nodiscard]] persistent neighbor_allgather_init(borrowed<T> from, borrowed<R> into) const {
        return prepare_to_move_blocks<allgather>(from.get(), into.get(), 0, comm());
    }
    /// Gives a range of any size to all neighbours; what the sources gave, joined, and how much each gave.
    /// Counts that are not given come with the data.
    ///
    ///     auto [values, counts] = ring.neighbor_allgatherv(mine);
    template <direct_range R>
    [[nodiscard]] auto neighbor_allgatherv(const R &range, known_counts with = {}) const {
        using element = element_of<const R &>;
        using view = std::span<const element>;
        if (with.counts.empty())
            return join(start_among_neighbours<std::vector<element>>(
                            comm(), view{std::ranges::data(range), std::ranges::size(range)},
                            [](const view &kept, std::size_t) { return kept; })
                            .wait());
        require_counts(with.counts, degrees_of(comm()).first, name_of<operations::neighbor_allgatherv>);
        blocks<element> got{{}, {with.counts.begin(), with.counts.end()}};
        return join_ranges<operations::neighbor_allgatherv>(range, std::move(got), 0, comm());
    }

    /// Gives the i-th of equal blocks to the i-th destination; one block from each source.
    template <direct_range R> [[nodiscard]] auto neighbor_alltoall(const R &range) const {
        return move_blocks<alltoall, taken<elements_t<const R>>>(range, 0, comm());
    }
    /// neighbor_alltoall() into memory that exists.
    template <direct_range R, place_to_fill Into>
    void neighbor_alltoall_into(const R &range, Into &&into) const {
        move_blocks_into<alltoall>(blocking{}, range, into, 0, comm());
    }
    template <range_to_own R> [[nodiscard]] auto ineighbor_alltoall(R &&range) const {
        using in = std::remove_cvref_t<R>;
        return start_to_move_blocks<alltoall, taken<elements_t<in>>>(in(std::forward<R>(range)), 0, comm());
    }
    /// One equal block for each destination, one from each source.
    template <direct_buffer A, class B>
    [[nodiscard]] persistent neighbor_alltoall_init(borrowed<A> from, borrowed<B> into) const {
        return prepare_to_move_blocks<alltoall>(from.get(), into.get(), 0, comm());
    }
    /// Gives `counts[i]` objects of a range to the i-th destination. Receive counts that are not given come
    /// with the data.
    ///
    ///     auto [values, counts] = ring.neighbor_alltoallv(out, how_many);
    template <direct_range R> [[nodiscard]] auto neighbor_alltoallv(const R &range, counts_view counts,
                                                                    known_counts receive = {}) const {
        using element = element_of<const R &>;
        constexpr auto call = "lisle::neighbor_alltoallv";
        const auto [sources, destinations] = degrees_of(comm());
        require_counts(counts, destinations, call);
        const auto out = blocks_in(range, counts, true, static_cast<int>(destinations), call);
        if (receive.counts.empty()) {
            std::vector<std::span<const element>> pieces;
            const element *next = std::ranges::data(range);
            for (const MPI_Count count : counts) {
                pieces.emplace_back(next, static_cast<std::size_t>(count));
                next += count;
            }
            return join(
                start_among_neighbours<std::vector<element>>(
                    comm(), std::move(pieces), [](const auto &kept, std::size_t i) { return kept[i]; })
                    .wait());
        }
        require_counts(receive.counts, sources, call);
        blocks<element> got{{}, {receive.counts.begin(), receive.counts.end()}};
        const block_list<element> in{got.counts};
        got.data.resize(in.total);
        exchange_listed<operations::neighbor_alltoallv>(blocking{}, std::ranges::data(range), out,
                                                        got.data.data(), in, comm());
        return got;
    }
    /// One object for each destination, of any types and sizes; one from each source: lists, strings, all
    /// that is serialised.
    ///
    ///     std::vector<std::vector<int>> got = ring.neighbor_alltoallv(one_list_for_each_destination);
    template <fit T>
    requires(!direct<T>) [[nodiscard]] std::vector<T> neighbor_alltoallv(std::vector<T> objects) const {
        return ineighbor_alltoallv(std::move(objects)).wait();
    }
    template <fit T>
    requires(!direct<T>)
        [[nodiscard]] future<std::vector<T>> ineighbor_alltoallv(std::vector<T> objects) const {
        const std::size_t destinations = degrees_of(comm()).second;
        if (objects.size() != destinations)
            raise_final(MPI_ERR_COUNT, "lisle::neighbor_alltoallv",
                        {{"objects", static_cast<long long>(objects.size())},
                         {"destinations", static_cast<long long>(destinations)}},
                        "there must be one object for each destination");
        return start_among_neighbours<T>(
            comm(), std::move(objects),
            [](const std::vector<T> &kept, std::size_t i) -> const T & { return kept[i]; });
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal neighbor_allgather(not_to_collect) const;
    refusal neighbor_alltoall(no_range) const;
    refusal neighbor_allgatherv(no_range, known_counts = {}) const;
    refusal neighbor_alltoallv(no_range) const;
    refusal neighbor_alltoallv(no_range, counts_view, known_counts = {}) const;
    refusal neighbor_allgather_into(from_memory, any_place) const;
    refusal neighbor_alltoall_into(from_range, any_place) const;
    refusal ineighbor_allgather(not_to_combine) const;
    refusal ineighbor_alltoall(no_range_to_own) const;
    refusal ineighbor_alltoallv(no_range) const;
    refusal neighbor_allgather_init(not_in_memory, anything) const;
    refusal neighbor_alltoall_init(not_in_memory, anything) const;
};

} // namespace lisle::detail
