// SPDX-License-Identifier: Apache-2.0
// From callables of C++ to operations of MPI. std::plus and its kin become MPI's own operations on the types
// that MPI can add; any other callable is inlined over the whole vector in one callback. Each type of
// callable without state is made an operation once for each rank. Of one with state each call makes an
// operation where it stands, so the captures are always those of this call.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "lisle/datatype/transfer.hpp"
#include "lisle/detail/rank_data.hpp"

namespace lisle {

/// The lesser of two: MPI_MIN for numbers.
struct minimum {
    template <std::totally_ordered T> constexpr T operator()(const T &a, const T &b) const {
        return b < a ? b : a;
    }
};
/// The greater of two: MPI_MAX for numbers.
struct maximum {
    template <std::totally_ordered T> constexpr T operator()(const T &a, const T &b) const {
        return a < b ? b : a;
    }
};

/// The lesser of two pairs of a value and where it is, the first place among equals: MPI_MINLOC for pairs of
/// any types that can be compared.
///
///     auto [least, where] = world.allreduce(std::pair{residual, world.rank()}, lisle::minimum_location{});
struct minimum_location {
    template <class Pair> constexpr Pair operator()(const Pair &a, const Pair &b) const {
        return b.first < a.first || (!(a.first < b.first) && b.second < a.second) ? b : a;
    }
};
/// The greater of two, the first place among equals: MPI_MAXLOC.
struct maximum_location {
    template <class Pair> constexpr Pair operator()(const Pair &a, const Pair &b) const {
        return a.first < b.first || (!(b.first < a.first) && b.second < a.second) ? b : a;
    }
};

/// An MPI_Op, predefined or the program's own: `world.allreduce(x, lisle::operation{op})`. A view,
/// which frees nothing. One of the program's is called with the datatype datatype_of<T>().
class operation {
  public:
    explicit operation(MPI_Op op) noexcept : op_{op} {}
    /// The handle, for calls of C.
    [[nodiscard]] MPI_Op native() const noexcept { return op_; }
    template <direct T> void operator()(std::span<const T> first, std::span<T> second) const {
        detail::check(MPI_Reduce_local_c(first.data(), second.data(), static_cast<MPI_Count>(first.size()),
                                         datatype_of<T>(), op_),
                      "MPI_Reduce_local");
    }

  private:
    MPI_Op op_;
};

/// A commutative callable: made by commutative().
template <class F> struct commutative_t {
    F function;
    template <class A, class B> constexpr decltype(auto) operator()(A &&a, B &&b) {
        return function(std::forward<A>(a), std::forward<B>(b));
    }
};
/// Promises that `a op b` is `b op a`, which lets MPI choose faster algorithms. Without the promise the order
/// of ranks is kept.
///
///     world.allreduce(v, lisle::commutative([](int a, int b) { return std::gcd(a, b); }))
template <class F> [[nodiscard]] constexpr commutative_t<F> commutative(F function) {
    return {std::move(function)};
}

/// A callable that combines whole slices: made by slices().
template <class F> struct slices_t {
    F function;
    template <class In, class Inout> constexpr void operator()(In first, Inout second) {
        function(first, second);
    }
};
/// An operation on slices, for loops that the compiler vectorises or that a library does:
/// `second[i] = first[i] op second[i]` for all i.
///
///     world.allreduce(v, lisle::slices([](std::span<const float> first, std::span<float> second) { ... }))
template <class F> [[nodiscard]] constexpr slices_t<F> slices(F function) {
    return {std::move(function)};
}

/// True if F is commutative. Specialise it for a function object of your own.
template <class F, class T> inline constexpr bool is_commutative = false;
template <class F, class T> inline constexpr bool is_commutative<commutative_t<F>, T> = true;
template <class T> inline constexpr bool is_commutative<minimum_location, T> = true;
template <class T> inline constexpr bool is_commutative<maximum_location, T> = true;

namespace detail {

template <class F> struct plain_function { using type = F; };
template <class F> struct plain_function<commutative_t<F>> { using type = F; };
/// A callable without state: one operation serves every call.
template <class F> inline constexpr bool stateless = std::is_empty_v<F>;
template <class F> inline constexpr bool stateless<commutative_t<F>> = stateless<F>;
template <class F> inline constexpr bool stateless<slices_t<F>> = stateless<F>;

template <class F, template <class> class Standard, class T>
concept one_of = std::same_as<F, Standard<void>> || std::same_as<F, Standard<T>>;

template <class T>
concept integer_of_mpi =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;
template <class T>
concept number_of_mpi = integer_of_mpi<T> || std::floating_point<T>;

/// MPI's operation for F on T, or MPI_OP_NULL.
template <class F, class T> MPI_Op predefined_operation() noexcept {
    if constexpr (number_of_mpi<T> || is_complex<T>::value) {
        if constexpr (one_of<F, std::plus, T>)
            return MPI_SUM;
        if constexpr (one_of<F, std::multiplies, T>)
            return MPI_PROD;
    }
    if constexpr (number_of_mpi<T>) {
        if constexpr (std::same_as<F, minimum>)
            return MPI_MIN;
        if constexpr (std::same_as<F, maximum>)
            return MPI_MAX;
    }
    if constexpr (integer_of_mpi<T> || std::same_as<T, std::byte>) {
        if constexpr (one_of<F, std::bit_and, T>)
            return MPI_BAND;
        if constexpr (one_of<F, std::bit_or, T>)
            return MPI_BOR;
        if constexpr (one_of<F, std::bit_xor, T>)
            return MPI_BXOR;
    }
    if constexpr (std::same_as<T, bool>) {
        if constexpr (one_of<F, std::logical_and, T>)
            return MPI_LAND;
        if constexpr (one_of<F, std::logical_or, T>)
            return MPI_LOR;
        if constexpr (one_of<F, std::not_equal_to, T>)
            return MPI_LXOR;
    }
    return MPI_OP_NULL;
}

template <class F, class T> inline constexpr bool has_predefined = [] {
    constexpr bool sum = one_of<F, std::plus, T> || one_of<F, std::multiplies, T>;
    constexpr bool order = std::same_as<F, minimum> || std::same_as<F, maximum>;
    constexpr bool bits =
        one_of<F, std::bit_and, T> || one_of<F, std::bit_or, T> || one_of<F, std::bit_xor, T>;
    constexpr bool logic =
        one_of<F, std::logical_and, T> || one_of<F, std::logical_or, T> || one_of<F, std::not_equal_to, T>;
    return ((number_of_mpi<T> || is_complex<T>::value) && sum) || (number_of_mpi<T> && order) ||
           ((integer_of_mpi<T> || std::same_as<T, std::byte>)&&bits) || (std::same_as<T, bool> && logic);
}();

/// The datatype that reductions of T use: MPI does not add characters, C++ does.
template <direct T, class F> MPI_Datatype reduction_type() {
    if constexpr (has_predefined<F, T> && std::same_as<T, char>)
        return std::is_signed_v<char> ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR;
    else
        return datatype_of<T>();
}

template <class F, class T> struct is_slice_operator : std::false_type {};
template <class F, class T>
requires std::invocable<F &, std::span<const T>, std::span<T>>
struct is_slice_operator<slices_t<F>, T> : std::true_type {
};
template <direct T> struct is_slice_operator<lisle::operation, T> : std::true_type {};
template <class F, class T> struct is_slice_operator<commutative_t<F>, T> : is_slice_operator<F, T> {};

/// True if F combines two objects of type T.
template <class F, class T>
concept combines = is_slice_operator<F, T>::value ||
    requires(typename plain_function<F>::type &function, const T &value) {
    { function(value, value) } -> std::convertible_to<T>;
};

template <class F, class T> consteval void require_operation() {
    if constexpr (std::is_pointer_v<F> && !std::is_function_v<std::remove_pointer_t<F>>)
        static_assert(always_false<F>, "This is no callable; an MPI_Op is one as lisle::operation{op}.");
    else if constexpr (std::floating_point<T> && (one_of<F, std::bit_and, T> || one_of<F, std::bit_or, T> ||
                                                  one_of<F, std::bit_xor, T>))
        static_assert(always_false<F>, "Bitwise operations are not defined for floating-point numbers.");
    else if constexpr (constexpr bool fits = combines<F, T>; true)
        static_assert(fits, "This callable does not combine two elements of the data into one: it must be "
                            "callable with two values of their type and return that type.");
}

/// Element by element. Small elements are combined in groups whose results are stored together, which lets
/// the compiler use vector instructions without being asked to.
template <class F, class T>
void apply(F &function, const T *__restrict in, T *__restrict inout, std::size_t count) noexcept {
    if constexpr (is_slice_operator<F, T>::value) {
        function(std::span<const T>{in, count}, std::span<T>{inout, count});
    } else if constexpr (combines<F, T>) {
        std::size_t i = 0;
        if constexpr (std::is_trivially_copyable_v<T> && std::default_initializable<T> && sizeof(T) <= 16) {
            constexpr std::size_t group = 64 / sizeof(T);
            for (; i + group <= count; i += group) {
                T results[group];
                for (std::size_t j = 0; j < group; ++j)
                    results[j] = function(in[i + j], inout[i + j]);
                for (std::size_t j = 0; j < group; ++j)
                    inout[i + j] = results[j];
            }
        }
        for (; i < count; ++i)
            inout[i] = function(in[i], inout[i]);
    }
}

/// An operation that outlives the call that uses it.
struct lasting_operation {
    MPI_Op operation;
    [[nodiscard]] MPI_Op native() const noexcept { return operation; }
};

#if LISLE_USE_EXTENSIONS

/// The function that MPI calls: combines by the callable at `callable`.
template <class F, class T>
void combine_by(void *in, void *inout, MPI_Count count, MPI_Datatype, void *callable) {
    apply(*static_cast<F *>(callable), static_cast<const T *>(in), static_cast<T *>(inout),
          static_cast<std::size_t>(count));
}
template <class F, class T> MPI_Op create_lasting_operation() {
    auto own = std::make_unique<F>();
    MPI_Op made = MPI_OP_NULL;
    check(MPIX_Op_create_x(
              combine_by<F, T>, [](void *callable) { delete static_cast<F *>(callable); },
              is_commutative<F, T>, own.get(), &made),
          "MPIX_Op_create_x");
    static_cast<void>(own.release());
    return made;
}

/// An operation for one call, with the captures of this call.
template <class F, class T> class used_operation {
  public:
    explicit used_operation(F &function) {
        check(MPIX_Op_create_in(room_, sizeof room_, combine_by<F, T>, is_commutative<F, T>, &function,
                                &operation_),
              "MPIX_Op_create_in");
    }
    used_operation(const used_operation &) = delete;
    used_operation &operator=(const used_operation &) = delete;
    [[nodiscard]] MPI_Op native() const noexcept { return operation_; }

  private:
    alignas(16) std::byte room_[128]; // where the operation lies
    MPI_Op operation_;
};

#else

#if LISLE_USE_MPI_3
using number_to_combine = int;
#else
using number_to_combine = MPI_Count;
#endif

/// The callable of the reduction that this thread is in: MPI_Op_create has no place for it.
template <class F, class T> struct callable_of_thread {
    static F *&current() noexcept {
        thread_local F *function = nullptr;
        return function;
    }
};

template <class F, class T> MPI_Op create_operation(F &function) {
    callable_of_thread<F, T>::current() = &function;
    MPI_Op made = MPI_OP_NULL;
    check(MPI_Op_create_c(
              [](void *in, void *inout, number_to_combine *count, MPI_Datatype *) {
                  if constexpr (stateless<F> && std::is_default_constructible_v<F>) {
                      F own{};
                      apply(own, static_cast<const T *>(in), static_cast<T *>(inout),
                            static_cast<std::size_t>(*count));
                  } else {
                      apply(*callable_of_thread<F, T>::current(), static_cast<const T *>(in),
                            static_cast<T *>(inout), static_cast<std::size_t>(*count));
                  }
              },
              is_commutative<F, T>, &made),
          "MPI_Op_create");
    return made;
}
template <class F, class T> MPI_Op create_lasting_operation() {
    F unused{}; // the callback makes its own
    return create_operation<F, T>(unused);
}

/// An operation for one call.
template <class F, class T> class used_operation {
  public:
    explicit used_operation(F &function) : operation_{create_operation<F, T>(function)} {}
    used_operation(const used_operation &) = delete;
    used_operation &operator=(const used_operation &) = delete;
    ~used_operation() { MPI_Op_free(&operation_); }
    [[nodiscard]] MPI_Op native() const noexcept { return operation_; }

  private:
    MPI_Op operation_;
};

#endif

/// The operation of a callable on elements of type T. One with state is used where it is: it must live until
/// the reduction is complete.
template <class F, direct T> auto use_operation(F &function) {
    if constexpr (std::same_as<F, lisle::operation>) {
        return lasting_operation{function.native()};
    } else if constexpr (has_predefined<F, T>) {
        return lasting_operation{predefined_operation<F, T>()};
    } else if constexpr (stateless<F> && std::is_default_constructible_v<F>) {
        return lasting_operation{
            handle_of<MPI_Op>(rank_data([]() -> void * { return value_of(create_lasting_operation<F, T>()); },
                                        [](void *made) {
                                            auto operation = handle_of<MPI_Op>(made);
                                            MPI_Op_free(&operation);
                                        }))};
    } else {
        return used_operation<F, T>{function};
    }
}

} // namespace detail

} // namespace lisle
