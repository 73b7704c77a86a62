// SPDX-License-Identifier: Apache-2.0
// The forms of reductions: MPI's, of elements, from one description each; and of whole objects, which MPI
// does not know, along trees of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/failure.hpp"
#include "lisle/collective/form.hpp"
#include "lisle/collective/operation.hpp"

namespace lisle::detail {

/// The type that a reduction combines two at a time: the elements of arrays and ranges, if F combines those.
template <class T, class F> consteval auto combined_of() {
    using object = typename taken<T>::object;
    if constexpr (taken<T>::chosen == grain::whole) {
        return as_type<object>{};
    } else if constexpr (array_traits<object>::value) {
        using element = std::remove_cv_t<typename array_traits<object>::element>;
        if constexpr (combines<F, element> || taken<T>::chosen == grain::elements)
            return as_type<element>{};
        else
            return as_type<object>{};
    } else if constexpr (direct_range<const object &>) {
        return as_type<element_of<const object &>>{};
    } else {
        return as_type<object>{};
    }
}
template <class T, class F> using combined = typename decltype(combined_of<T, F>())::type;

/// True if MPI combines elements of T; false if whole objects are combined by the headers. The compiler
/// explains if F does neither.
template <class T, class F> consteval bool reduced_by_element() {
    using type = typename taken<T>::object;
    if constexpr (taken<T>::written_elements)
        return (require_operation<F, std::ranges::range_value_t<type>>(), false);
    else if constexpr (!taken<T>::in_memory)
        return (require_operation<F, typename taken<T>::value>(), false);
    else if constexpr (taken<T>::chosen == grain::by_type && direct_range<const type &> &&
                       !combines<F, combined<T, F>> && combines<F, type>)
        return false;
    else
        return (require_operation<F, combined<T, F>>(), true);
}

/// agree() on a reduction: MPI's operations are compared, of others only whether they commute.
template <class T, class F> void agree_on_reduction(MPI_Comm comm, const char *call, int root) {
    if constexpr (check_level >= 2) {
        long long operation = -1;
        if constexpr (reduced_by_element<T, F>()) {
            using element = combined<T, F>;
            if constexpr (has_predefined<F, element>) {
                const MPI_Op predefined = predefined_operation<F, element>();
                operation = MPI_Op_c2f(predefined); // alike in all processes
            } else if constexpr (is_commutative<F, element>) {
                operation = -2;
            }
        }
        agree(comm, call, root, element_size<T>(), operation);
    }
}

/// The result type of a reduction: that of a view owns its elements.
template <class T> using reduction_result = typename taken<T>::value;

/// The common base of the descriptions of reductions.
struct reduction_of_all : as_given {
    static constexpr signature takes = signature::combines;
};

/// A callable that combines what T consists of; the compiler explains if it does not.
template <class F, class T>
concept operation_on = (require_operation<F, combined<T, F>>(), true);

/// The arguments of one reduction. Object and callable must live as long as it.
template <class T, operation_on<T> F> class reduction {
    using object = typename taken<T>::object;
    using element = combined<T, F>;

  public:
    reduction(const object &given_object, F &function)
        : object_{given_object}, operation_{use_operation<F, element>(function)} {}

    [[nodiscard]] MPI_Count count() const noexcept {
        if constexpr (direct_range<const object &>)
            return static_cast<MPI_Count>(std::ranges::size(object_));
        else
            return static_cast<MPI_Count>(sizeof(object) / sizeof(element));
    }
    [[nodiscard]] MPI_Datatype type() const { return reduction_type<element, F>(); }
    [[nodiscard]] MPI_Op operation() const noexcept { return operation_.native(); }
    [[nodiscard]] const void *from() const noexcept {
        if constexpr (direct_range<const object &>)
            return std::ranges::data(object_);
        else
            return &object_;
    }
    template <class Result> [[nodiscard]] void *to(Result &result) const noexcept {
        if constexpr (direct_range<Result &>)
            return std::ranges::data(result);
        else
            return &result;
    }
    [[nodiscard]] reduction_result<T> make_result(bool here) const {
        reduction_result<T> result{};
        if constexpr (direct_range<const object &>)
            if (here)
                result.resize(static_cast<std::size_t>(count()));
        return result;
    }

  private:
    const object &object_;
    decltype(use_operation<F, element>(std::declval<F &>())) operation_;
};

// ---- the forms of MPI's reductions ----

/// The elements that a rank gets: all, or its block.
template <class Operation, class Reduction> MPI_Count result_count(const Reduction &parts, MPI_Comm comm) {
    return Operation::amounts_of(0, parts.count(), comm, name_of<Operation>).block;
}
/// The arguments of a reduction.
template <class Operation, class Reduction>
arguments between(const Reduction &parts, const void *from, void *to, MPI_Count count, int root) {
    return {from, to, count, parts.type(), root, parts.operation()};
}
/// The same in place of what is given, where there is a result.
template <class Operation, class Reduction, class T>
arguments in_place_of(T &object, const Reduction &parts, int root, MPI_Comm comm) {
    const bool here = has_result<Operation>(root, comm);
    void *const address = parts.to(object);
    return between<Operation>(parts, here ? MPI_IN_PLACE : address, here ? address : nullptr,
                              result_count<Operation>(parts, comm), root);
}
/// The same into memory that exists.
template <class Operation, class Reduction, class T, class Into>
arguments into_room(const T &object, Into &into, const Reduction &parts, int root, MPI_Comm comm) {
    const MPI_Count count = result_count<Operation>(parts, comm);
    const std::size_t objects = Operation::deals ? static_cast<std::size_t>(count) : sent_objects(object);
    void *const room = has_result<Operation>(root, comm)
                           ? room_for<sent_element<T>>(into, objects, name_of<Operation>)
                           : nullptr;
    return between<Operation>(parts, parts.from(), room, count, root);
}

/// The result of elements that MPI combines.
template <class Operation, class T, class F>
auto reduce_elements(const T &given_object, F &function, int root, MPI_Comm comm) {
    const reduction<T, F> parts{object_in(given_object), function};
    auto result = parts.make_result(has_result<Operation>(root, comm));
    issue<Operation>(blocking{},
                     between<Operation>(parts, parts.from(), parts.to(result), parts.count(), root), comm);
    return result;
}
/// The same into memory that exists.
template <class Operation, class T, class F, class Into>
void reduce_into(const T &object, Into &into, F &function, int root, MPI_Comm comm) {
    agree_on_reduction<T, F>(comm, name_of<Operation>, root);
    const reduction<T, F> parts{object, function};
    issue<Operation>(blocking{}, into_room<Operation>(object, into, parts, root, comm), comm);
}
/// In place. @return how many elements there are as a result
template <class Operation, class T, class F>
MPI_Count reduce_in_place(T &object, F &function, int root, MPI_Comm comm) {
    agree_on_reduction<T, F>(comm, name_of<Operation>, root);
    const reduction<T, F> parts{object, function};
    const arguments with = in_place_of<Operation>(object, parts, root, comm);
    issue<Operation>(blocking{}, with, comm);
    return with.count;
}

/// The compiler's explanation for a callable that cannot be used after the call.
template <class F, class T> consteval void require_lasting() {
    static_assert(has_extensions || has_predefined<F, T> || stateless<F>,
                  "Without Lisle's extensions a non-blocking reduction cannot use a callable with state.");
}

/// The callable of a reduction of objects that are lent, and its operation; Base owns what a request or a
/// persistent operation needs.
template <class Base, class T, class F> class kept_reduction final : public Base {
    F function_;

  public:
    kept_reduction(const typename taken<T>::object &object, F &&function)
        : function_{std::move(function)}, parts{object, function_} {
        require_lasting<F, combined<T, F>>();
    }
    reduction<T, F> parts;
};

template <class Operation, class T, class F, class Into>
future<> start_to_reduce_into(const T &object, Into &into, F &function, int root, MPI_Comm comm) {
    auto owner = std::make_unique<kept_reduction<operation, T, F>>(object, std::move(function));
    const auto with = into_room<Operation>(object, into, owner->parts, root, comm);
    return issue<Operation>(nonblocking<>{std::move(owner)}, with, comm);
}
template <class Operation, class T, class F>
future<> start_to_reduce_in_place(T &object, F &function, int root, MPI_Comm comm) {
    require_writable<T &>();
    auto owner = std::make_unique<kept_reduction<operation, T, F>>(object, std::move(function));
    const auto with = in_place_of<Operation>(object, owner->parts, root, comm);
    return issue<Operation>(nonblocking<>{std::move(owner)}, with, comm);
}
/// B lends `object`. In place if `into` is the same.
template <class Operation, class B, class T, class F, class Into> persistent
prepare_to_reduce(const T &object, Into &into, F &function, int root, MPI_Comm comm, bool in_place = false) {
    require_writable<Into &>();
    auto owner = std::make_unique<kept_reduction<persistent_owner, B, F>>(object, std::move(function));
    const auto &parts = owner->parts;
    const auto with = between<Operation>(parts, in_place ? MPI_IN_PLACE : parts.from(), parts.to(into),
                                         parts.count(), root);
    return issue<Operation>(prepared{std::move(owner)}, with, comm);
}

/// A non-blocking reduction of an object that is moved in, and its result.
template <class T, class F> class reduction_under_way final : public result_of<reduction_result<T>> {
    using in = typename taken<T>::value;

  public:
    reduction_under_way(in &&from, F &&function, bool here)
        : in_{std::move(from)}, function_{std::move(function)}, parts{in_, function_}, out{parts.make_result(
                                                                                           here)} {
        require_lasting<F, combined<T, F>>();
    }
    reduction_result<T> take(const status &) override { return std::move(out); }

  private:
    in in_;
    F function_;

  public:
    reduction<T, F> parts;
    reduction_result<T> out;
};
template <class Operation, class T, class F>
auto start_to_reduce(T &&given_object, F &function, int root, MPI_Comm comm) {
    using type = std::remove_cvref_t<T>;
    const bool all = has_result<Operation>(root, comm) && !Operation::deals;
    auto owner = std::make_unique<reduction_under_way<type, F>>(own(std::forward<T>(given_object)),
                                                                std::move(function), all);
    const MPI_Count count = result_count<Operation>(owner->parts, comm);
    if constexpr (Operation::deals)
        owner->out.resize(static_cast<std::size_t>(count));
    const auto with =
        between<Operation>(owner->parts, owner->parts.from(), owner->parts.to(owner->out), count, root);
    return issue<Operation>(nonblocking<reduction_result<type>>{std::move(owner)}, with, comm);
}

// ---- whole objects ----

/// `a op b`; the compiler explains a callable that does not combine them.
template <class F, class T> T combine(F &&function, const T &a, const T &b) {
    using callable = std::remove_reference_t<F>;
    require_operation<callable, T>();
    if constexpr (combines<callable, T>)
        return function(a, b);
    else
        return a;
}

/// Combines two whole objects: the callable itself, or for elements(range) one that calls it for each pair
/// of elements.
template <class T, class F> auto on_wholes(F function) {
    if constexpr (taken<T>::written_elements) {
        using range = typename taken<T>::object;
        require_operation<F, std::ranges::range_value_t<range>>();
        return [function = std::move(function)](const range &a, const range &b) mutable {
            if (std::ranges::size(a) != std::ranges::size(b)) {
                raise(MPI_ERR_COUNT, "lisle::elements",
                      {{"elements", static_cast<long long>(std::ranges::size(a))},
                       {"of other ranks", static_cast<long long>(std::ranges::size(b))}},
                      "the ranks have given ranges of different sizes");
                return a;
            }
            range result = a;
            auto other = std::ranges::begin(b);
            for (auto &element : result)
                element = function(std::as_const(element), *other++);
            return result;
        };
    } else {
        return function;
    }
}

/// Combines whole objects, in the order of ranks, along a binomial tree to rank 0 and on to the root.
template <class T, class F, class Comm>
outcome<T, Comm> reduce_objects(T own_object, F &&function, int root, const Comm &comm) {
    using part = outcome<T, Comm>;
    const auto combine_two = [&](const T &a, const T &b) { return combine(function, a, b); };
    const int rank = comm.rank();
    const int size = comm.size();
    part mine{std::move(own_object), comm};
    for (int distance = 1; distance < size; distance *= 2) {
        if ((rank & distance) != 0) {
            mine.send(rank - distance);
            break;
        }
        if (rank + distance < size)
            mine.combine_with(part{rank + distance, comm}, combine_two);
    }
    if (root != 0 && rank == 0)
        mine.send(root);
    if (root != 0 && rank == root)
        mine.follow(part{0, comm});
    return mine;
}

/// What the objects of the ranks before this one combine to (nothing at rank 0), and of this one as well.
template <class T, class Comm> struct prefixes {
    std::optional<outcome<T, Comm>> before;
    outcome<T, Comm> with_own;

    /// The result of an exscan(): every failure is thrown, also one of this rank's that others were told of.
    T before_or(T first, const char *call) && {
        if (!before.has_value()) {
            with_own.rethrow();
            return first;
        }
        return std::move(*before).result(call);
    }
};
/// In the order of ranks, with as many rounds as the number of ranks has digits.
template <class T, class F, class Comm>
prefixes<T, Comm> prefix_objects(T object, F &&function, const Comm &comm) {
    using part = outcome<T, Comm>;
    const auto combine_two = [&](const T &a, const T &b) { return combine(function, a, b); };
    const int rank = comm.rank();
    const int size = comm.size();
    prefixes<T, Comm> result{std::nullopt,
                             part{std::move(object), comm}}; // of the `distance` ranks up to this
    for (int distance = 1; distance < size; distance *= 2) {
        future<> sending;
        if (rank + distance < size)
            sending = result.with_own.isend(rank + distance);
        if (rank < distance)
            continue; // sending waits
        part theirs{rank - distance, comm};
        sending.wait();
        part with_own = theirs;
        with_own.combine_with(result.with_own, combine_two);
        result.with_own = std::move(with_own);
        if (result.before)
            theirs.combine_with(*result.before, combine_two);
        result.before = std::move(theirs);
    }
    return result;
}

} // namespace lisle::detail
