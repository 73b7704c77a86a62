// SPDX-License-Identifier: Apache-2.0
// What the reductions of collective.hpp are made of: MPI's, of elements, and the headers' own, of whole
// objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/collective/collective_details.hpp"
#include "lisle/collective/operation.hpp"
#include "lisle/collective/told_failure.hpp"
#include "lisle/point_to_point/point_to_point.hpp"

namespace lisle::detail {

/// The type of which reductions combine two at a time: of arrays and ranges their elements, if F can.
template <class T, class F> consteval auto combined_of() {
    using object = typename taken<T>::object;
    if constexpr (taken<T>::word == said::whole) {
        return as_type<object>{};
    } else if constexpr (array_traits<object>::value) {
        using element = std::remove_cv_t<typename array_traits<object>::element>;
        if constexpr (combines<F, element> || taken<T>::word == said::elements)
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

/// True if MPI reduces T; false if whole objects are combined on the way. Says what is wrong if F does
/// neither.
template <class T, class F> inline constexpr bool reduced_by_element = [] {
    using type = typename taken<T>::object;
    if constexpr (taken<T>::written_elements)
        return (require_operation<F, std::ranges::range_value_t<type>>(), false);
    else if constexpr (!taken<T>::in_memory)
        return (require_operation<F, typename taken<T>::value>(), false);
    else if constexpr (taken<T>::word == said::nothing && direct_range<const type &> &&
                       !combines<F, combined<T, F>> && combines<F, type>)
        return false;
    else
        return (require_operation<F, combined<T, F>>(), true);
}();

/// agree() on a reduction: MPI's operations are compared, of others only whether they commute.
template <class T, class F> void agree_on_reduction(MPI_Comm comm, const char *call, int root) {
    if constexpr (check_level >= 2) {
        long long operation = -1;
        if constexpr (reduced_by_element<T, F>) {
            using element = combined<T, F>;
            if constexpr (has_predefined<F, element>)
                operation = static_cast<long long>(
                    reinterpret_cast<std::intptr_t>(value_of(predefined_operation<F, element>())));
            else if constexpr (is_commutative<F, element>)
                operation = -2;
        }
        agree(comm, call, root, element_size<T>(), operation);
    }
}

/// What a reduction gives: a view's result owns its elements.
template <class T> using reduction_result = typename taken<T>::value;

/// What combines what a T consists of; all else meets a sentence of the compiler's.
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

/// `a op b`; what does not combine them meets a sentence of the compiler's.
template <class F, class T> T combine(F &&function, const T &a, const T &b) {
    using callable = std::remove_reference_t<F>;
    require_operation<callable, T>();
    if constexpr (combines<callable, T>)
        return function(a, b);
    else
        return a;
}

/// What combines two wholes: the callable, or for elements(range) one that calls it for each pair of them.
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

/// The i-th of as many parts as there are counts.
template <class R, class T = element_of<const R &>>
std::vector<std::vector<T>> cut(const R &objects, counts_view counts) {
    std::vector<std::vector<T>> parts;
    auto next = std::ranges::begin(objects);
    for (const MPI_Count count : counts) {
        parts.emplace_back(next, next + count);
        next += count;
    }
    return parts;
}

/// How many of a range's objects each rank gets of a reduction: what the caller says, or equal shares.
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

/// Combines parts that came from each rank object by object, in the order of ranks.
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

} // namespace lisle::detail
