// SPDX-License-Identifier: Apache-2.0
// scan and exscan: each rank gets the combination of what the ranks up to it have.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/reduce.hpp"

namespace lisle::detail {

namespace operations {

struct scan : reduction_of_all {
    static constexpr mpi_functions mpi{"Scan", MPI_Scan_c, MPI_Iscan_c, MPI_Scan_init_c};
};
struct exscan : reduction_of_all {
    static constexpr mpi_functions mpi{"Exscan", MPI_Exscan_c, MPI_Iexscan_c, MPI_Exscan_init_c};
};

} // namespace operations

/// What the ranks before this one have, combined as wholes; with this rank's own if `With_own`. Rank 0 of an
/// exscan() gets an empty object.
template <bool With_own, class T, class F>
future<T> start_to_scan_objects(T own_object, F function, MPI_Comm comm) {
    return begin_messages<T>(
        comm, outgoing<T>{std::move(own_object)}, to_later_ranks(),
        [function = std::move(function)](outgoing<T> &kept, std::vector<T> &&came) mutable {
            if constexpr (With_own)
                came.push_back(std::move(kept.object));
            return came.empty() ? T{} : combine_all(std::move(came), function);
        });
}
template <class T, class F> auto start_to_scan(T &&given_object, F function, MPI_Comm comm) {
    if constexpr (reduced_by_element<T, F>())
        return start_to_reduce<operations::scan>(std::forward<T>(given_object), function, 0, comm);
    else
        return start_to_scan_objects<true>(own(std::forward<T>(given_object)),
                                           on_wholes<T>(std::move(function)), comm);
}

/// The functions of communicators.
class scan_calls : public collective_calls<scan_calls> {
    using inclusive = operations::scan;
    using exclusive = operations::exscan;

  public:
    /// Rank i's result combines the objects of the ranks 0 to i.
    template <object_to_collect T, class F> [[nodiscard]] auto scan(const T &given, F function) const {
        agree_on_reduction<T, F>(comm(), name_of<inclusive>, 0);
        if constexpr (reduced_by_element<T, F>())
            return reduce_elements<inclusive, T>(given, function, 0, comm());
        else
            return prefixes_of(given, std::move(function)).with_own.result(name_of<inclusive>);
    }
    template <buffer_to_fill T, class F> void scan(in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        reduce_in_place<inclusive>(both.object, function, 0, comm());
    }
    template <object_in_memory T, place_to_fill Into, class F>
    void scan_into(const T &object, Into &&into, F function) const {
        require_operation<F, combined<T, F>>();
        reduce_into<inclusive>(object, into, function, 0, comm());
    }
    template <object_to_combine T, class F> [[nodiscard]] auto iscan(T &&object, F function) const {
        return start_to_scan(std::forward<T>(object), std::move(function), comm());
    }
    template <fit T, class F> [[nodiscard]] future<> iscan(lent_in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_in_place<inclusive>(both.object, function, 0, comm());
    }
    template <lent_object B, class R, class F>
    [[nodiscard]] persistent scan_init(B from, borrowed<R> into, F function) const {
        auto &object = object_in(from);
        if constexpr (reduced_by_element<B, F>())
            return prepare_to_reduce<inclusive, B>(object, into.get(), function, 0, comm());
        else
            return prepare_rounds_into(into, [&object, function, comm = comm()] {
                return start_to_scan(with_grain_of<B>(object), function, comm);
            });
    }

    /// Rank i's result combines the objects of the ranks before it; rank 0's is `first`.
    template <object_to_collect T, class F>
    [[nodiscard]] auto exscan(const T &given, F function, reduction_result<T> first = {}) const {
        agree_on_reduction<T, F>(comm(), name_of<exclusive>, 0);
        if constexpr (reduced_by_element<T, F>()) {
            auto result = reduce_elements<exclusive, T>(given, function, 0, comm());
            if (rank_in(comm()) == 0)
                result = std::move(first);
            return result;
        } else {
            return prefixes_of(given, std::move(function)).before_or(std::move(first), name_of<exclusive>);
        }
    }
    /// What rank 0's object is afterwards, MPI does not say.
    template <buffer_to_fill T, class F> void exscan(in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        reduce_in_place<exclusive>(both.object, function, 0, comm());
    }
    /// What rank 0 has in `into` stays as it is, but for its size.
    template <object_in_memory T, place_to_fill Into, class F>
    void exscan_into(const T &object, Into &&into, F function) const {
        require_operation<F, combined<T, F>>();
        reduce_into<exclusive>(object, into, function, 0, comm());
    }
    template <object_to_combine T, class F> [[nodiscard]] auto iexscan(T &&object, F function) const {
        if constexpr (reduced_by_element<T, F>())
            return start_to_reduce<exclusive>(std::forward<T>(object), function, 0, comm());
        else
            return start_to_scan_objects<false>(own(std::forward<T>(object)),
                                                on_wholes<T>(std::move(function)), comm());
    }
    /// What rank 0's object is afterwards, MPI does not say.
    template <fit T, class F> [[nodiscard]] future<> iexscan(lent_in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_in_place<exclusive>(both.object, function, 0, comm());
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal scan(not_to_collect, anything) const;
    refusal scan_into(from_memory, any_place, anything) const;
    refusal iscan(not_to_combine, anything) const;
    refusal scan_init(unfit, anything, anything) const;
    refusal exscan(not_to_collect, anything) const;
    refusal exscan(not_to_collect, anything, anything) const;
    refusal exscan_into(from_memory, any_place, anything) const;
    refusal iexscan(not_to_combine, anything) const;

  private:
    template <class T, class F> auto prefixes_of(const T &given, F function) const {
        return prefix_objects(own(given), on_wholes<T>(std::move(function)), point_to_point{trees(comm())});
    }
};

} // namespace lisle::detail
