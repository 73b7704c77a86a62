// SPDX-License-Identifier: Apache-2.0
// Collectives whose result replaces what they were given, wherever MPI has MPI_IN_PLACE. A layer of
// communicator, below the functions of the same names that return their results. Each is one call of MPI.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lisle/collective/collective_details.hpp"
#include "lisle/collective/operation.hpp"
#include "lisle/collective/reduction_details.hpp"
#include "lisle/collective/shadow.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle {

namespace detail {

/// The elements of each rank's part of a buffer that has equal parts for all.
inline MPI_Count share_of(MPI_Count count, int ranks, const char *call) {
    if (count % ranks != 0)
        raise(MPI_ERR_COUNT, call, {{"elements", count}, {"ranks", ranks}},
              "the elements cannot be divided into one equal part for each rank");
    return count / ranks;
}

/// The arguments of a reduction in place, for blocking, non-blocking and persistent calls.
template <class T, class F> struct reduction_in_place : reduction<T, F> {
    reduction_in_place(T &object, F &function)
        : reduction<T, F>{object, function}, address{this->to(object)} {}
    /// What MPI reads and writes, at the root of a reduction or elsewhere.
    [[nodiscard]] const void *read(bool root) const noexcept { return root ? MPI_IN_PLACE : address; }
    [[nodiscard]] void *written(bool root) const noexcept { return root ? address : nullptr; }
    void *address;
};

} // namespace detail

class in_place_collectives : public point_to_point {
  public:
    using point_to_point::point_to_point;

    /// The result replaces the root's object; the others' are only read.
    ///
    ///     world.reduce(lisle::in_place(histogram), std::plus<>{}, {.root = 2});
    template <buffer_to_fill T, detail::operation_on<T> F>
    void reduce(in_place_t<T> both, F function, rooted with = {}) const {
        detail::agree_on_reduction<T, F>(comm_, "reduce", with.root);
        const detail::reduction_in_place<T, F> parts{both.object, function};
        const bool root = rank() == with.root;
        detail::check(MPI_Reduce_c(parts.read(root), parts.written(root), parts.count(), parts.type(),
                                   parts.operation(), with.root, comm_),
                      "MPI_Reduce", named_value{"count", parts.count()}, named_value{"root", with.root});
    }
    /// `world.allreduce(lisle::in_place(histogram), std::plus<>{});`
    template <buffer_to_fill T, detail::operation_on<T> F>
    void allreduce(in_place_t<T> both, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "allreduce", 0);
        const detail::reduction<T, F> parts{both.object, function};
        detail::check(MPI_Allreduce_c(MPI_IN_PLACE, parts.to(both.object), parts.count(), parts.type(),
                                      parts.operation(), comm_),
                      "MPI_Allreduce", named_value{"count", parts.count()});
    }
    template <buffer_to_fill T, detail::operation_on<T> F> void scan(in_place_t<T> both, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "scan", 0);
        const detail::reduction<T, F> parts{both.object, function};
        detail::check(MPI_Scan_c(MPI_IN_PLACE, parts.to(both.object), parts.count(), parts.type(),
                                 parts.operation(), comm_),
                      "MPI_Scan", named_value{"count", parts.count()});
    }
    /// What rank 0's object is afterwards, MPI does not say.
    template <buffer_to_fill T, detail::operation_on<T> F> void exscan(in_place_t<T> both, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "exscan", 0);
        const detail::reduction<T, F> parts{both.object, function};
        detail::check(MPI_Exscan_c(MPI_IN_PLACE, parts.to(both.object), parts.count(), parts.type(),
                                   parts.operation(), comm_),
                      "MPI_Exscan", named_value{"count", parts.count()});
    }
    /// Rank i's part of the result replaces the beginning of the range; returned as a view of it.
    template <buffer_to_fill R, detail::operation_on<R> F>
    auto reduce_scatter(in_place_t<R> all, F function) const {
        static_assert(direct_range<R &>, "reduce_scatter() takes a range with a part for each rank.");
        using element = detail::element_of<R &>;
        detail::agree_on_reduction<R, F>(comm_, "reduce_scatter", 0);
        const detail::reduction<R, F> parts{all.object, function};
        const MPI_Count share = detail::share_of(parts.count(), size(), "lisle::reduce_scatter");
        detail::check(MPI_Reduce_scatter_block_c(MPI_IN_PLACE, parts.to(all.object), share, parts.type(),
                                                 parts.operation(), comm_),
                      "MPI_Reduce_scatter_block", named_value{"count", share});
        return std::span<element>{std::ranges::data(all.object), static_cast<std::size_t>(share)};
    }

    /// The root's range has a part for each rank, its own in its place; the others' range is such a part.
    ///
    ///     world.gather(lisle::in_place(values));
    template <buffer_to_fill R> void gather(in_place_t<R> all, rooted with = {}) const {
        detail::agree(comm_, "gather", with.root, detail::element_size<R>());
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const MPI_Count count = root ? detail::share_of(data.count, size(), "lisle::gather") : data.count;
        detail::check(MPI_Gather_c(root ? MPI_IN_PLACE : data.address, count, data.type, data.writable(),
                                   count, data.type, with.root, comm_),
                      "MPI_Gather", named_value{"count", count}, named_value{"root", with.root});
    }
    /// The same with parts of any sizes, which only the root has to know.
    template <buffer_to_fill R> void gatherv(in_place_t<R> all, rooted_counts with) const {
        using element = detail::element_of<R &>;
        detail::agree(comm_, "gatherv", with.root, sizeof(element));
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const auto list = parts_of<element>(root, with.counts, all.object, "lisle::gatherv");
        detail::check(MPI_Gatherv_c(root ? MPI_IN_PLACE : data.address, data.count, data.type,
                                    data.writable(), list.counts.data(), list.offsets.data(), data.type,
                                    with.root, comm_),
                      "MPI_Gatherv", named_value{"root", with.root});
    }
    /// The root's range has a part for each rank and stays as it is; the others' range becomes its part.
    template <buffer_to_fill R> void scatter(in_place_t<R> all, rooted with = {}) const {
        detail::agree(comm_, "scatter", with.root, detail::element_size<R>());
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const MPI_Count count = root ? detail::share_of(data.count, size(), "lisle::scatter") : data.count;
        detail::check(MPI_Scatter_c(data.address, count, data.type, root ? MPI_IN_PLACE : data.writable(),
                                    count, data.type, with.root, comm_),
                      "MPI_Scatter", named_value{"count", count}, named_value{"root", with.root});
    }
    /// The same with parts of any sizes, which only the root has to know.
    template <buffer_to_fill R> void scatterv(in_place_t<R> all, rooted_counts with) const {
        using element = detail::element_of<R &>;
        detail::agree(comm_, "scatterv", with.root, sizeof(element));
        const auto data = as_buffer(all.object);
        const bool root = rank() == with.root;
        const auto list = parts_of<element>(root, with.counts, all.object, "lisle::scatterv");
        detail::check(MPI_Scatterv_c(data.address, list.counts.data(), list.offsets.data(), data.type,
                                     root ? MPI_IN_PLACE : data.writable(), data.count, data.type, with.root,
                                     comm_),
                      "MPI_Scatterv", named_value{"root", with.root});
    }
    /// Every rank's range has a part for each rank, its own in its place.
    template <buffer_to_fill R> void allgather(in_place_t<R> all) const {
        detail::agree(comm_, "allgather", 0, detail::element_size<R>());
        const auto data = as_buffer(all.object);
        const MPI_Count count = detail::share_of(data.count, size(), "lisle::allgather");
        detail::check(
            MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.writable(), count, data.type, comm_),
            "MPI_Allgather", named_value{"count", count});
    }
    /// The same with parts of any sizes, which all ranks know.
    template <buffer_to_fill R> void allgatherv(in_place_t<R> all, known_counts with) const {
        using element = detail::element_of<R &>;
        detail::agree(comm_, "allgatherv", 0, sizeof(element));
        const auto data = as_buffer(all.object);
        const auto list = parts_of<element>(true, with.counts, all.object, "lisle::allgatherv");
        detail::check(MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.writable(),
                                       list.counts.data(), list.offsets.data(), data.type, comm_),
                      "MPI_Allgatherv");
    }
    /// The i-th of equal parts changes places with the own part of rank i.
    template <buffer_to_fill R> void alltoall(in_place_t<R> all) const {
        detail::agree(comm_, "alltoall", 0, detail::element_size<R>());
        const auto data = as_buffer(all.object);
        const MPI_Count count = detail::share_of(data.count, size(), "lisle::alltoall");
        detail::check(
            MPI_Alltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.writable(), count, data.type, comm_),
            "MPI_Alltoall", named_value{"count", count});
    }
    /// The same with parts of any sizes: as many go to a rank as come from it.
    template <buffer_to_fill R> void alltoallv(in_place_t<R> all, known_counts with) const {
        using element = detail::element_of<R &>;
        detail::agree(comm_, "alltoallv", 0, sizeof(element));
        const auto data = as_buffer(all.object);
        const auto list = parts_of<element>(true, with.counts, all.object, "lisle::alltoallv");
        detail::check(MPI_Alltoallv_c(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.writable(),
                                      list.counts.data(), list.offsets.data(), data.type, comm_),
                      "MPI_Alltoallv");
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal reduce(unfit, anything, rooted = {}) const;
    refusal allreduce(unfit, anything) const;
    refusal scan(unfit, anything) const;
    refusal exscan(unfit, anything) const;
    refusal exscan(unfit, anything, anything) const;
    refusal reduce_scatter(no_range, anything, known_counts = {}) const;
    refusal gather(unfit, rooted = {}) const;
    refusal gatherv(no_range, rooted_counts = {}) const;
    refusal scatter(no_range, rooted = {}) const;
    refusal scatterv(no_range, rooted_counts = {}) const;
    refusal allgather(unfit) const;
    refusal allgatherv(no_range, known_counts = {}) const;
    refusal alltoall(no_range) const;
    refusal alltoallv(no_range) const;
    refusal alltoallv(no_range, counts_view, known_counts = {}) const;

  private:
    /// The parts of a range as its owner says; nothing where they mean nothing.
    template <class Element, class R> detail::block_list<Element>
    parts_of(bool here, counts_view counts, const R &range, const char *call) const {
        detail::block_list<Element> list{here ? counts : counts_view{}};
        const auto nothing = [this] {
            return detail::block_list<Element>{std::vector<MPI_Count>(static_cast<std::size_t>(size()))};
        };
        if (here && counts.size() != static_cast<std::size_t>(size())) {
            detail::raise(MPI_ERR_COUNT, call,
                          {{"counts", static_cast<long long>(counts.size())}, {"ranks", size()}},
                          "there must be one count for each rank");
            return nothing();
        }
        if (list.total > std::ranges::size(range)) {
            detail::raise(MPI_ERR_COUNT, call,
                          {{"objects", static_cast<long long>(std::ranges::size(range))},
                           {"sum of counts", static_cast<long long>(list.total)}},
                          "the counts say more objects than there are");
            return nothing();
        }
        return list;
    }
};

} // namespace lisle
