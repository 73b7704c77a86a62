// SPDX-License-Identifier: Apache-2.0
// Collectives whose results go into memory that exists: a buffer that is large enough, resized(container), or
// grown(container). A layer of communicator. Nothing is allocated but what a container needs to grow, and
// what is said here of counts.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lisle/collective/joined_collective.hpp"
#include "lisle/datatype/destination.hpp"

namespace lisle {

class into_collectives : public joined_collectives {
  public:
    using joined_collectives::joined_collectives;

    /// gather(); `into` means nothing but at the root.
    ///
    ///     world.gather_into(mine, lisle::resized(all), {.root = 2});
    template <object_in_memory T, place_to_fill Into>
    void gather_into(const T &object, Into &&into, rooted with = {}) const {
        detail::agree(comm_, "gather", with.root, sizeof(detail::sent_element<T>));
        const auto data = as_buffer(object);
        void *const room =
            rank() == with.root ? room_for_all<T>(object, into, "lisle::gather_into") : nullptr;
        detail::check(
            MPI_Gather_c(data.address, data.count, data.type, room, data.count, data.type, with.root, comm_),
            "MPI_Gather", named_value{"count", data.count}, named_value{"root", with.root});
    }
    /// allgather()
    template <object_in_memory T, place_to_fill Into>
    void allgather_into(const T &object, Into &&into) const {
        detail::agree(comm_, "allgather", 0, sizeof(detail::sent_element<T>));
        const auto data = as_buffer(object);
        void *const room = room_for_all<T>(object, into, "lisle::allgather_into");
        detail::check(
            MPI_Allgather_c(data.address, data.count, data.type, room, data.count, data.type, comm_),
            "MPI_Allgather", named_value{"count", data.count});
    }
    /// gatherv(). Counts that nobody gives are gathered first, and returned at the root.
    ///
    ///     std::vector<MPI_Count> counts = world.gatherv_into(mine, lisle::grown(all));
    template <direct_range R, place_to_fill Into> std::vector<detail::later<MPI_Count, R>>
    gatherv_into(const R &range, Into &&into, rooted_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "gatherv", with.root, sizeof(element));
        const bool root = rank() == with.root;
        const buffer data = as_buffer(range);
        std::vector<detail::later<MPI_Count, R>> counts;
        if (!with.counts.empty()) {
            if (root)
                counts.assign(with.counts.begin(), with.counts.end());
        } else {
            const auto own = static_cast<MPI_Count>(std::ranges::size(range));
            counts.resize(root ? static_cast<std::size_t>(size()) : 0);
            detail::check(MPI_Gather(&own, 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, with.root, comm_),
                          "MPI_Gather", named_value{"root", with.root});
        }
        const detail::block_list<element> list{counts};
        void *const room =
            root ? detail::room_for<element>(into, list.total, "lisle::gatherv_into") : nullptr;
        detail::check(MPI_Gatherv_c(data.address, data.count, data.type, room, list.counts.data(),
                                    list.offsets.data(), data.type, with.root, comm_),
                      "MPI_Gatherv", named_value{"count", data.count}, named_value{"root", with.root});
        return counts;
    }
    /// The same for all ranks.
    template <direct_range R, place_to_fill Into> std::vector<detail::later<MPI_Count, R>>
    allgatherv_into(const R &range, Into &&into, known_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "allgatherv", 0, sizeof(element));
        const buffer data = as_buffer(range);
        std::vector<detail::later<MPI_Count, R>> counts(with.counts.begin(), with.counts.end());
        if (counts.empty()) {
            const auto own = static_cast<MPI_Count>(std::ranges::size(range));
            counts.resize(static_cast<std::size_t>(size()));
            detail::check(MPI_Allgather(&own, 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, comm_),
                          "MPI_Allgather");
        }
        const detail::block_list<element> list{counts};
        void *const room = detail::room_for<element>(into, list.total, "lisle::allgatherv_into");
        detail::check(MPI_Allgatherv_c(data.address, data.count, data.type, room, list.counts.data(),
                                       list.offsets.data(), data.type, comm_),
                      "MPI_Allgatherv", named_value{"count", data.count});
        return counts;
    }
    /// scatterv(): deals the root's range out, by default in equal shares. Returns how many objects came;
    /// only the root needs to know. `all` means nothing elsewhere.
    ///
    ///     std::size_t mine = world.scatterv_into(all, lisle::resized(part));
    template <direct_range R, place_to_fill Into>
    std::size_t scatterv_into(const R &all, Into &&into, rooted_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "scatterv", with.root, sizeof(element));
        const detail::share_of_root<element> share{comm_, std::ranges::size(all), with, rank() == with.root};
        if (!share.usable) [[unlikely]]
            return 0;
        void *const room = detail::room_for<element>(into, share.own, "lisle::scatterv_into");
        const MPI_Count count = static_cast<MPI_Count>(share.own) * detail::wire<element>::count;
        const MPI_Datatype type = detail::wire<element>::type();
        detail::check(MPI_Scatterv_c(std::ranges::data(all), share.list.counts.data(),
                                     share.list.offsets.data(), type, room, count, type, with.root, comm_),
                      "MPI_Scatterv", named_value{"count", count}, named_value{"root", with.root});
        return share.own;
    }
    /// alltoall()
    template <direct_range R, place_to_fill Into> void alltoall_into(const R &range, Into &&into) const {
        using element = detail::element_of<const R &>;
        detail::agree(comm_, "alltoall", 0, sizeof(element));
        const buffer data = as_buffer(range);
        const MPI_Count count = detail::share_of(static_cast<MPI_Count>(std::ranges::size(range)), size(),
                                                 "lisle::alltoall_into") *
                                detail::wire<element>::count;
        void *const room = detail::room_for<element>(into, std::ranges::size(range), "lisle::alltoall_into");
        detail::check(MPI_Alltoall_c(data.address, count, data.type, room, count, data.type, comm_),
                      "MPI_Alltoall", named_value{"count", count});
    }
    /// alltoallv(). Receive counts that are not given are exchanged first, and returned.
    template <direct_range R, place_to_fill Into> std::vector<detail::later<MPI_Count, R>>
    alltoallv_into(const R &range, counts_view sent, Into &&into, known_counts receive = {}) const {
        using element = detail::element_of<const R &>;
        constexpr auto call = "lisle::alltoallv_into";
        detail::agree(comm_, "alltoallv", 0, sizeof(element));
        if (!detail::divides(sent, std::ranges::size(range), size()))
            detail::raise_final(
                MPI_ERR_COUNT, call,
                {{"objects", static_cast<long long>(std::ranges::size(range))},
                 {"counts", static_cast<long long>(sent.size())},
                 {"ranks", size()}},
                "the counts are not one for each rank, or one is negative, or together they are more than "
                "the range has");
        using list_of_counts = std::vector<detail::later<MPI_Count, R>>;
        list_of_counts counts(receive.counts.begin(), receive.counts.end());
        if (counts.empty()) {
            const list_of_counts out(sent.begin(), sent.end());
            counts.resize(out.size());
            detail::check(MPI_Alltoall(out.data(), 1, MPI_COUNT, counts.data(), 1, MPI_COUNT, comm_),
                          "MPI_Alltoall");
        }
        const detail::block_list<element> from{sent};
        const detail::block_list<element> to{counts};
        void *const room = detail::room_for<element>(into, to.total, call);
        const MPI_Datatype type = detail::wire<element>::type();
        detail::check(MPI_Alltoallv_c(std::ranges::data(range), from.counts.data(), from.offsets.data(), type,
                                      room, to.counts.data(), to.offsets.data(), type, comm_),
                      "MPI_Alltoallv");
        return counts;
    }

    // ---- reductions ----

    /// reduce() of objects in memory; `into` means nothing but at the root.
    template <object_in_memory T, place_to_fill Into, detail::operation_on<T> F>
    void reduce_into(const T &object, Into &&into, F function, rooted with = {}) const {
        detail::agree_on_reduction<T, F>(comm_, "reduce", with.root);
        const detail::reduction<T, F> parts{object, function};
        void *const room =
            rank() == with.root ? room_for_one<T>(object, into, "lisle::reduce_into") : nullptr;
        detail::check(MPI_Reduce_c(parts.from(), room, parts.count(), parts.type(), parts.operation(),
                                   with.root, comm_),
                      "MPI_Reduce", named_value{"count", parts.count()}, named_value{"root", with.root});
    }
    /// allreduce()
    ///
    ///     world.allreduce_into(mine, sums, std::plus<>{});
    template <object_in_memory T, place_to_fill Into, detail::operation_on<T> F>
    void allreduce_into(const T &object, Into &&into, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "allreduce", 0);
        const detail::reduction<T, F> parts{object, function};
        void *const room = room_for_one<T>(object, into, "lisle::allreduce_into");
        detail::check(
            MPI_Allreduce_c(parts.from(), room, parts.count(), parts.type(), parts.operation(), comm_),
            "MPI_Allreduce", named_value{"count", parts.count()});
    }
    /// scan()
    template <object_in_memory T, place_to_fill Into, detail::operation_on<T> F>
    void scan_into(const T &object, Into &&into, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "scan", 0);
        const detail::reduction<T, F> parts{object, function};
        void *const room = room_for_one<T>(object, into, "lisle::scan_into");
        detail::check(MPI_Scan_c(parts.from(), room, parts.count(), parts.type(), parts.operation(), comm_),
                      "MPI_Scan", named_value{"count", parts.count()});
    }
    /// exscan(); what rank 0 has in `into` stays as it is, but for its size.
    template <object_in_memory T, place_to_fill Into, detail::operation_on<T> F>
    void exscan_into(const T &object, Into &&into, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "exscan", 0);
        const detail::reduction<T, F> parts{object, function};
        void *const room = room_for_one<T>(object, into, "lisle::exscan_into");
        detail::check(MPI_Exscan_c(parts.from(), room, parts.count(), parts.type(), parts.operation(), comm_),
                      "MPI_Exscan", named_value{"count", parts.count()});
    }
    /// reduce_scatter() in equal parts.
    template <direct_range R, place_to_fill Into, detail::operation_on<R> F>
    void reduce_scatter_into(const R &range, Into &&into, F function) const {
        using element = detail::element_of<const R &>;
        detail::agree_on_reduction<R, F>(comm_, "reduce_scatter", 0);
        const detail::reduction<R, F> parts{range, function};
        const MPI_Count share = detail::share_of(parts.count(), size(), "lisle::reduce_scatter_into");
        void *const room =
            detail::room_for<element>(into, static_cast<std::size_t>(share), "lisle::reduce_scatter_into");
        detail::check(
            MPI_Reduce_scatter_block_c(parts.from(), room, share, parts.type(), parts.operation(), comm_),
            "MPI_Reduce_scatter_block", named_value{"count", share});
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal gather_into(detail::from_memory, detail::any_place, rooted = {}) const;
    refusal allgather_into(detail::from_memory, detail::any_place) const;
    refusal gatherv_into(detail::from_range, detail::any_place, rooted_counts = {}) const;
    refusal allgatherv_into(detail::from_range, detail::any_place, known_counts = {}) const;
    refusal scatterv_into(detail::from_range, detail::any_place, rooted_counts = {}) const;
    refusal alltoall_into(detail::from_range, detail::any_place) const;
    refusal alltoallv_into(detail::from_range, counts_view, detail::any_place, known_counts = {}) const;
    refusal reduce_into(detail::from_memory, detail::any_place, anything, rooted = {}) const;
    refusal allreduce_into(detail::from_memory, detail::any_place, anything) const;
    refusal scan_into(detail::from_memory, detail::any_place, anything) const;
    refusal exscan_into(detail::from_memory, detail::any_place, anything) const;
    refusal reduce_scatter_into(detail::from_range, detail::any_place, anything) const;

  protected:
    /// Room for as much from each rank.
    template <class T, class Into> void *room_for_all(const T &object, Into &into, const char *call) const {
        return detail::room_for<detail::sent_element<T>>(
            into, detail::sent_objects(object) * static_cast<std::size_t>(size()), call);
    }
    /// Room for what is like the object.
    template <class T, class Into> static void *room_for_one(const T &object, Into &into, const char *call) {
        return detail::room_for<detail::sent_element<T>>(into, detail::sent_objects(object), call);
    }
};

} // namespace lisle
