// SPDX-License-Identifier: Apache-2.0
// Collective operations: what all ranks of a communicator call together. A layer of communicator. Values in,
// values out; what can be inferred is; options have names: `{.root = 2}`. Objects that travel where they lie
// are one call of MPI; serialised ones travel as bytes, with one further small collective for their sizes.
// Here are those that combine objects; moving_collective.hpp has the others.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/moving_collective.hpp"
#include "lisle/collective/operation.hpp"

namespace lisle {

class collectives : public moving_collectives {
  public:
    using in_place_collectives::allreduce;
    using in_place_collectives::exscan;
    using in_place_collectives::reduce;
    using in_place_collectives::reduce_scatter;
    using in_place_collectives::scan;
    using moving_collectives::moving_collectives;

    /// Combines all ranks' objects, ranges element by element. The result is at the root; elsewhere it is an
    /// object of the same type that means nothing. Strings, other objects that travel as bytes and
    /// whole(range) are combined as wholes, elements(range) element by element. The order of ranks is kept
    /// unless the operation is commutative().
    ///
    ///     double sum = world.reduce(mine, std::plus<>{});
    ///     auto longest = world.reduce(name, [](auto a, auto b) { return a.size() < b.size() ? b : a; },
    ///     {.root = 1});
    template <object_to_collect T, class F>
    [[nodiscard]] auto reduce(const T &given, F function, rooted with = {}) const {
        detail::agree_on_reduction<T, F>(comm_, "reduce", with.root);
        if constexpr (detail::reduced_by_element<T, F>) {
            const detail::reduction<T, F> parts{detail::object_in(given), function};
            auto result = parts.make_result(rank() == with.root);
            detail::check(MPI_Reduce_c(parts.from(), parts.to(result), parts.count(), parts.type(),
                                       parts.operation(), with.root, comm_),
                          "MPI_Reduce", named_value{"count", parts.count()}, named_value{"root", with.root});
            return result;
        } else {
            return detail::reduce_objects(detail::own(given), detail::on_wholes<T>(std::move(function)),
                                          with.root, point_to_point{detail::trees(comm_)})
                .result("lisle::reduce");
        }
    }
    /// reduce() for all.
    ///
    ///     int most = world.allreduce(mine, lisle::maximum{});
    ///     world.allreduce(lisle::in_place(histogram), std::plus<>{});
    template <object_to_collect T, class F> [[nodiscard]] auto allreduce(const T &given, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "allreduce", 0);
        if constexpr (detail::reduced_by_element<T, F>) {
            const detail::reduction<T, F> parts{detail::object_in(given), function};
            auto result = parts.make_result(true);
            detail::check(MPI_Allreduce_c(parts.from(), parts.to(result), parts.count(), parts.type(),
                                          parts.operation(), comm_),
                          "MPI_Allreduce", named_value{"count", parts.count()});
            return result;
        } else {
            auto reduced =
                detail::reduce_objects(detail::own(given), detail::on_wholes<T>(std::move(function)), 0,
                                       point_to_point{detail::trees(comm_)});
            return spread_result(std::move(reduced), "lisle::allreduce");
        }
    }
    /// Rank i's result combines the objects of the ranks 0 to i.
    template <object_to_collect T, class F> [[nodiscard]] auto scan(const T &given, F function) const {
        detail::agree_on_reduction<T, F>(comm_, "scan", 0);
        if constexpr (detail::reduced_by_element<T, F>) {
            const detail::reduction<T, F> parts{detail::object_in(given), function};
            auto result = parts.make_result(true);
            detail::check(MPI_Scan_c(parts.from(), parts.to(result), parts.count(), parts.type(),
                                     parts.operation(), comm_),
                          "MPI_Scan", named_value{"count", parts.count()});
            return result;
        } else {
            return detail::prefix_objects(detail::own(given), detail::on_wholes<T>(std::move(function)),
                                          point_to_point{detail::trees(comm_)})
                .with_own.result("lisle::scan");
        }
    }
    /// Rank i's result combines the objects of the ranks before it; rank 0's is `first`.
    template <object_to_collect T, class F>
    [[nodiscard]] auto exscan(const T &given, F function, detail::reduction_result<T> first = {}) const {
        detail::agree_on_reduction<T, F>(comm_, "exscan", 0);
        if constexpr (detail::reduced_by_element<T, F>) {
            const detail::reduction<T, F> parts{detail::object_in(given), function};
            auto result = parts.make_result(true);
            detail::check(MPI_Exscan_c(parts.from(), parts.to(result), parts.count(), parts.type(),
                                       parts.operation(), comm_),
                          "MPI_Exscan", named_value{"count", parts.count()});
            if (rank() == 0)
                result = std::move(first);
            return result;
        } else {
            return detail::prefix_objects(detail::own(given), detail::on_wholes<T>(std::move(function)),
                                          point_to_point{detail::trees(comm_)})
                .before_or(std::move(first), "lisle::exscan");
        }
    }
    /// Combines ranges element by element; rank i gets the i-th of as many equal parts as there are ranks, or
    /// of parts of the sizes that all ranks give.
    ///
    ///     std::vector<double> mine = world.reduce_scatter(values, std::plus<>{});
    ///     mine = world.reduce_scatter(values, std::plus<>{}, {.counts = how_many});
    template <direct_range R, detail::operation_on<R> F>
    [[nodiscard]] auto reduce_scatter(const R &range, F function, known_counts with = {}) const {
        using element = detail::element_of<const R &>;
        detail::agree_on_reduction<R, F>(comm_, "reduce_scatter", 0);
        const detail::reduction<R, F> parts{range, function};
        if (!with.counts.empty()) {
            const auto shares = detail::reduced_shares(std::ranges::size(range), with.counts, size(),
                                                       "lisle::reduce_scatter");
            std::vector<element> result(static_cast<std::size_t>(shares[static_cast<std::size_t>(rank())]));
            detail::check(MPI_Reduce_scatter_c(parts.from(), result.data(), shares.data(), parts.type(),
                                               parts.operation(), comm_),
                          "MPI_Reduce_scatter", named_value{"count", parts.count()});
            return result;
        }
        const MPI_Count share = detail::share_of(parts.count(), size(), "lisle::reduce_scatter");
        std::vector<element> result(static_cast<std::size_t>(share));
        detail::check(MPI_Reduce_scatter_block_c(parts.from(), result.data(), share, parts.type(),
                                                 parts.operation(), comm_),
                      "MPI_Reduce_scatter_block", named_value{"count", share});
        return result;
    }
    /// The same with strings and other objects that travel as bytes: each is combined as a whole.
    template <class T, class F>
    requires(!direct<T>)
        [[nodiscard]] std::vector<T> reduce_scatter(const std::vector<T> &objects, F function,
                                                    known_counts with = {}) const {
        const auto shares =
            detail::reduced_shares(objects.size(), with.counts, size(), "lisle::reduce_scatter");
        return detail::combine_parts(alltoallv(detail::cut(objects, shares)), function,
                                     "lisle::reduce_scatter");
    }

  private:
    /// Gives rank 0's result to all, or the news that there is none.
    template <class Outcome> auto spread_result(Outcome &&reduced, const char *call) const {
        using value = std::remove_cvref_t<decltype(reduced.object())>;
        const bool here = rank() == 0;
        value result{};
        const int failed = here ? reduced.failed_rank() : -1;
        if (here && failed < 0)
            result = std::move(reduced).result(call);
        const std::exception_ptr told = detail::caught([&] {
            if constexpr (resizable_range<value>)
                detail::broadcast_sized(result, 0, here, comm_, failed);
            else
                spread_bytes(result, 0, failed);
        });
        reduced.rethrow();
        if (here && failed >= 0)
            detail::raise_told(failed, call);
        if (told)
            std::rethrow_exception(told);
        return result;
    }
};

} // namespace lisle
