// SPDX-License-Identifier: Apache-2.0
// reduce and allreduce: the objects of all ranks combined, at the root or everywhere.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/messages.hpp"
#include "lisle/collective/reduction.hpp"
#include "lisle/collective/sized.hpp"

namespace lisle::detail {

namespace operations {

struct reduce : reduction_of_all {
    static constexpr mpi_functions mpi{"Reduce", MPI_Reduce_c, MPI_Ireduce_c, MPI_Reduce_init_c};
    static constexpr bool rooted = true;
};
struct allreduce : reduction_of_all {
    static constexpr mpi_functions mpi{"Allreduce", MPI_Allreduce_c, MPI_Iallreduce_c, MPI_Allreduce_init_c};
};

} // namespace operations

/// Whole objects combined in the order of ranks where there is a result, by that rank; elsewhere the caller's
/// own.
template <class Operation, class T, class F>
future<T> start_to_reduce_objects(T own_object, F function, int root, MPI_Comm comm) {
    return begin_messages<T>(
        comm, outgoing<T>{std::move(own_object)}, to_result<Operation>(root),
        [function = std::move(function), here = has_result<Operation>(root, comm),
         rank = rank_in(comm)](outgoing<T> &kept, std::vector<T> &&came) mutable {
            return here ? combine_all(with_own(std::move(kept.object), std::move(came), rank), function)
                        : std::move(kept.object);
        });
}
/// Non-blocking reductions with one result.
template <class Operation, class T, class F>
auto start_to_reduce_any(T &&given_object, F function, int root, MPI_Comm comm) {
    if constexpr (reduced_by_element<T, F>())
        return start_to_reduce<Operation>(std::forward<T>(given_object), function, root, comm);
    else
        return start_to_reduce_objects<Operation>(own(std::forward<T>(given_object)),
                                                  on_wholes<T>(std::move(function)), root, comm);
}
template <class Operation, class B, class Object, class R, class F>
persistent prepare_to_reduce_any(Object &object, borrowed<R> into, F function, int root, MPI_Comm comm) {
    if constexpr (reduced_by_element<B, F>())
        return prepare_to_reduce<Operation, B>(object, into.get(), function, root, comm);
    else
        return prepare_rounds_into(into, [&object, function, root, comm] {
            return start_to_reduce_any<Operation>(with_grain_of<B>(object), function, root, comm);
        });
}

/// Broadcasts rank 0's result, or the notice that there is none.
template <class Outcome> auto broadcast_result(Outcome &&reduced, MPI_Comm comm) {
    constexpr auto call = name_of<operations::allreduce>;
    using value = std::remove_cvref_t<decltype(reduced.object())>;
    const bool here = rank_in(comm) == 0;
    value result{};
    const int failed_rank = here ? reduced.failed_rank() : -1;
    if (here && failed_rank < 0)
        result = std::move(reduced).result(call);
    const std::exception_ptr told = caught([&] {
        if constexpr (resizable_range<value>)
            broadcast_sized(result, 0, here, comm, failed_rank);
        else
            broadcast_written(result, 0, here, comm, failed_rank);
    });
    reduced.rethrow();
    if (here && failed_rank >= 0)
        raise_remote_failure(failed_rank, call);
    if (told)
        std::rethrow_exception(told);
    return result;
}

/// The functions of communicators.
class reduce_calls : public collective_calls<reduce_calls> {
    using to_root = operations::reduce;
    using to_all = operations::allreduce;

  public:
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
        agree_on_reduction<T, F>(comm(), name_of<to_root>, with.root);
        if constexpr (reduced_by_element<T, F>())
            return reduce_elements<to_root, T>(given, function, with.root, comm());
        else
            return reduce_objects(own(given), on_wholes<T>(std::move(function)), with.root,
                                  point_to_point{trees(comm())})
                .result(name_of<to_root>);
    }
    /// The result replaces the root's object; the others' are only read.
    ///
    ///     world.reduce(lisle::in_place(histogram), std::plus<>{}, {.root = 2});
    template <buffer_to_fill T, class F> void reduce(in_place_t<T> both, F function, rooted with = {}) const {
        require_operation<F, combined<T, F>>();
        reduce_in_place<to_root>(both.object, function, with.root, comm());
    }
    /// reduce() of objects in memory; `into` is significant only at the root.
    template <object_in_memory T, place_to_fill Into, class F>
    void reduce_into(const T &object, Into &&into, F function, rooted with = {}) const {
        require_operation<F, combined<T, F>>();
        detail::reduce_into<to_root>(object, into, function, with.root, comm());
    }
    template <object_to_combine T, class F>
    [[nodiscard]] auto ireduce(T &&object, F function, rooted with = {}) const {
        return start_to_reduce_any<to_root>(std::forward<T>(object), std::move(function), with.root, comm());
    }
    template <fit T, class F>
    [[nodiscard]] future<> ireduce(lent_in_place_t<T> both, F function, rooted with = {}) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_in_place<to_root>(both.object, function, with.root, comm());
    }
    /// `into` is significant only at the root.
    template <object_in_memory T, lent_place_to_fill Into, class F>
    [[nodiscard]] future<> ireduce_into(borrowed<T> object, Into into, F function, rooted with = {}) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_into<to_root>(std::as_const(object.get()), into, function, with.root, comm());
    }
    template <lent_object B, class R, class F>
    [[nodiscard]] persistent reduce_init(B from, borrowed<R> into, F function, rooted with = {}) const {
        return prepare_to_reduce_any<to_root, B>(object_in(from), into, std::move(function), with.root,
                                                 comm());
    }

    /// reduce() with the result at all ranks.
    ///
    ///     int most = world.allreduce(mine, lisle::maximum{});
    ///     world.allreduce(lisle::in_place(histogram), std::plus<>{});
    template <object_to_collect T, class F> [[nodiscard]] auto allreduce(const T &given, F function) const {
        agree_on_reduction<T, F>(comm(), name_of<to_all>, 0);
        if constexpr (reduced_by_element<T, F>())
            return reduce_elements<to_all, T>(given, function, 0, comm());
        else
            return broadcast_result(reduce_objects(own(given), on_wholes<T>(std::move(function)), 0,
                                                   point_to_point{trees(comm())}),
                                    comm());
    }
    template <buffer_to_fill T, class F> void allreduce(in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        reduce_in_place<to_all>(both.object, function, 0, comm());
    }
    ///     world.allreduce_into(mine, sums, std::plus<>{});
    template <object_in_memory T, place_to_fill Into, class F>
    void allreduce_into(const T &object, Into &&into, F function) const {
        require_operation<F, combined<T, F>>();
        detail::reduce_into<to_all>(object, into, function, 0, comm());
    }
    /// Objects that MPI cannot combine, strings and all that is serialised, are combined as wholes, in the
    /// order of ranks, by the rank that asks for the result.
    ///
    ///     auto sum = world.iallreduce(std::move(values), std::plus<>{}); ...; use(sum.wait());
    template <object_to_combine T, class F> [[nodiscard]] auto iallreduce(T &&object, F function) const {
        return start_to_reduce_any<to_all>(std::forward<T>(object), std::move(function), 0, comm());
    }
    ///     world.iallreduce(in_place(borrow(sums)), std::plus<>{})
    template <fit T, class F> [[nodiscard]] future<> iallreduce(lent_in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_in_place<to_all>(both.object, function, 0, comm());
    }
    /// `auto f = world.iallreduce_into(lisle::borrow(mine), lisle::borrow(sums), std::plus<>{});`
    template <object_in_memory T, lent_place_to_fill Into, class F>
    [[nodiscard]] future<> iallreduce_into(borrowed<T> object, Into into, F function) const {
        require_operation<F, combined<T, F>>();
        return start_to_reduce_into<to_all>(std::as_const(object.get()), into, function, 0, comm());
    }
    /// Of two objects of the same size:
    ///
    ///     lisle::persistent sum = world.allreduce_init(lisle::borrow(mine), lisle::borrow(all),
    ///     std::plus<>{});
    template <lent_object B, class R, class F>
    [[nodiscard]] persistent allreduce_init(B from, borrowed<R> into, F function) const {
        return prepare_to_reduce_any<to_all, B>(object_in(from), into, std::move(function), 0, comm());
    }
    template <fit T, class F>
    [[nodiscard]] persistent allreduce_init(lent_in_place_t<T> both, F function) const {
        require_operation<F, combined<T, F>>();
        return prepare_to_reduce<to_all, T>(both.object, both.object, function, 0, comm(), true);
    }

    // ---- with what cannot travel: see detail::unfit ----

    refusal reduce(not_to_collect, anything, rooted = {}) const;
    refusal reduce_into(from_memory, any_place, anything, rooted = {}) const;
    refusal ireduce(not_to_combine, anything, rooted = {}) const;
    refusal ireduce_into(not_in_memory, anything, anything, rooted = {}) const;
    refusal reduce_init(unfit, anything, anything, rooted = {}) const;
    refusal allreduce(not_to_collect, anything) const;
    refusal allreduce_into(from_memory, any_place, anything) const;
    refusal iallreduce(not_to_combine, anything) const;
    refusal iallreduce_into(not_in_memory, anything, anything) const;
    refusal allreduce_init(unfit, anything) const;
    refusal allreduce_init(unfit, anything, anything) const;
};

} // namespace lisle::detail
