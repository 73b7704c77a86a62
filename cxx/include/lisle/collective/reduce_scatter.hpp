// SPDX-License-Identifier: Apache-2.0
// reduce_scatter: ranges combined element by element, each rank getting its part.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/alltoall.hpp"
#include "lisle/collective/reduction.hpp"

namespace lisle::detail {

namespace operations {

struct reduce_scatter_block : reduction_of_all {
    static constexpr mpi_functions mpi{"Reduce_scatter_block", MPI_Reduce_scatter_block_c,
                                       MPI_Ireduce_scatter_block_c, MPI_Reduce_scatter_block_init_c};
    static constexpr bool deals = true;
    static amounts amounts_of(std::size_t, MPI_Count elements, MPI_Comm comm, const char *call) {
        const MPI_Count share = share_of(elements, size_of(comm), call);
        return {static_cast<std::size_t>(share), share};
    }
};

} // namespace operations

/// How many objects of the result each rank gets: the counts of the caller, or equal shares.
template <class Count = MPI_Count>
std::vector<Count> reduced_shares(std::size_t objects, counts_view wanted, int ranks, const char *call) {
    std::vector<Count> shares(wanted.begin(), wanted.end());
    if (wanted.empty() && objects % static_cast<std::size_t>(ranks) == 0)
        shares = equal_shares<Count>(objects, ranks);
    std::size_t sum = 0;
    for (const Count share : shares)
        sum += static_cast<std::size_t>(share);
    if (shares.size() != static_cast<std::size_t>(ranks) || sum != objects) {
        raise(MPI_ERR_COUNT, call,
              {{"objects", static_cast<long long>(objects)},
               {"sum of counts", static_cast<long long>(sum)},
               {"counts", static_cast<long long>(shares.size())},
               {"ranks", ranks}},
              "the objects must be as many equal parts as there are ranks, or as many as the ranks' counts "
              "say");
        return equal_shares<Count>(objects, ranks);
    }
    return shares;
}

/// Combines the parts received from each rank object by object, in the order of ranks.
template <class T, class F>
std::vector<T> combine_parts(std::vector<std::vector<T>> &&parts, F &function, const char *call) {
    std::vector<T> result = std::move(parts.front());
    for (std::size_t from = 1; from < parts.size(); ++from) {
        const std::vector<T> &part = parts[from];
        if (part.size() != result.size()) {
            raise(MPI_ERR_COUNT, call,
                  {{"objects of rank 0", static_cast<long long>(result.size())},
                   {"rank", static_cast<long long>(from)},
                   {"its objects", static_cast<long long>(part.size())}},
                  "the ranks have given parts of different sizes");
            return result;
        }
        for (std::size_t i = 0; i < part.size(); ++i)
            result[i] = function(std::as_const(result[i]), part[i]);
    }
    return result;
}

/// The caller's part of all ranks' objects combined.
template <class T, class F>
future<std::vector<T>> start_to_combine_parts(std::vector<std::vector<T>> parts, F function, MPI_Comm comm) {
    using part = std::vector<T>;
    constexpr auto call = name_of<operations::reduce_scatter_block>;
    return begin_messages<part>(comm, std::move(parts), to_each(call),
                                [function = std::move(function), rank = rank_in(comm)](
                                    std::vector<part> &kept, std::vector<part> &&came) mutable {
                                    part &mine = kept[static_cast<std::size_t>(rank)];
                                    return combine_parts(with_own(std::move(mine), std::move(came), rank),
                                                         function, call);
                                });
}

/// The functions of communicators.
class reduce_scatter_calls : public collective_calls<reduce_scatter_calls> {
    using operation = operations::reduce_scatter_block;

  public:
    /// Combines ranges element by element; rank i gets the i-th of as many equal parts as there are ranks, or
    /// of parts of the sizes that all ranks give.
    ///
    ///     std::vector<double> mine = world.reduce_scatter(values, std::plus<>{});
    ///     mine = world.reduce_scatter(values, std::plus<>{}, {.counts = how_many});
    template <direct_range R, class F>
    [[nodiscard]] auto reduce_scatter(const R &range, F function, known_counts with = {}) const {
        require_operation<F, combined<R, F>>();
        constexpr auto call = name_of<operation>;
        agree_on_reduction<R, F>(comm(), name_of<operation>, 0);
        const reduction<R, F> parts{range, function};
        std::vector<element_of<const R &>> result;
        if (!with.counts.empty()) {
            const auto shares = reduced_shares(std::ranges::size(range), with.counts, size_of(comm()), call);
            result.resize(static_cast<std::size_t>(shares[static_cast<std::size_t>(rank_in(comm()))]));
            later<numbers_of_mpi, R> listed;
            check(MPI_Reduce_scatter_c(parts.from(), result.data(), listed.of(shares), parts.type(),
                                       parts.operation(), comm()),
                  "MPI_Reduce_scatter", named_value{"count", parts.count()});
            return result;
        }
        const MPI_Count share = result_count<operation>(parts, comm());
        result.resize(static_cast<std::size_t>(share));
        issue<operation>(blocking{}, between<operation>(parts, parts.from(), result.data(), share, 0),
                         comm());
        return result;
    }
    /// The same with strings and other objects that travel as bytes: each is combined as a whole.
    template <class T, class F>
    requires(!direct<T>)
        [[nodiscard]] std::vector<T> reduce_scatter(const std::vector<T> &objects, F function,
                                                    known_counts with = {}) const {
        constexpr auto call = name_of<operation>;
        return combine_parts(exchange_objects(cut_for(objects, with.counts, call), comm()), function, call);
    }
    /// Rank i's part of the result replaces the beginning of the range; returned as a view of it.
    template <buffer_to_fill R, class F> auto reduce_scatter(in_place_t<R> all, F function) const {
        require_operation<F, combined<R, F>>();
        static_assert(direct_range<R &>, "reduce_scatter() takes a range with a part for each rank.");
        const MPI_Count share = reduce_in_place<operation>(all.object, function, 0, comm());
        return std::span<element_of<R &>>{std::ranges::data(all.object), static_cast<std::size_t>(share)};
    }
    /// reduce_scatter() in equal parts.
    template <direct_range R, place_to_fill Into, class F>
    void reduce_scatter_into(const R &range, Into &&into, F function) const {
        require_operation<F, combined<R, F>>();
        reduce_into<operation>(range, into, function, 0, comm());
    }
    /// Combines ranges of as many equal parts as there are ranks; rank i gets the i-th part.
    template <range_to_own R, class F> [[nodiscard]] auto ireduce_scatter(R &&range, F function) const {
        return start_to_reduce<operation>(std::forward<R>(range), function, 0, comm());
    }
    /// Strings and other objects that travel as bytes are combined as wholes; the parts may differ in size.
    template <fit T, class F>
    requires(!direct<T>)
        [[nodiscard]] future<std::vector<T>> ireduce_scatter(const std::vector<T> &objects, F function,
                                                             known_counts with = {}) const {
        return start_to_combine_parts(cut_for(objects, with.counts, name_of<operation>), std::move(function),
                                      comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal reduce_scatter(no_range, anything, known_counts = {}) const;
    refusal reduce_scatter_into(from_range, any_place, anything) const;
    refusal ireduce_scatter(no_range_to_own, anything, known_counts = {}) const;

  private:
    /// A vector of objects for each rank.
    template <class T>
    auto cut_for(const std::vector<T> &objects, counts_view counts, const char *call) const {
        return cut(objects, reduced_shares(objects.size(), counts, size_of(comm()), call));
    }
};

} // namespace lisle::detail
