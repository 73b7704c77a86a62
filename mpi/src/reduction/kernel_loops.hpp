// SPDX-License-Identifier: Apache-2.0
// The loops of the kernels and the table of them, compiled once for each instruction set: everything here has
// internal linkage, so that no code of one set gets into another. The kernels are instances of two loops over
// one functor for each operation; which instances exist follows from `allowed`, the standard's table in
// chapter 6.9.2 (and 6.9.4 for pairs). Results do not depend on the instruction set: every element is
// computed by the same operations, none of which is contracted.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/real_types.hpp"
#include "reduction/kernel_sets.hpp"

namespace lisle::collective {

namespace {

__extension__ using signed_128 = __int128;
__extension__ using unsigned_128 = unsigned __int128;

template <class Real> struct complex_number { Real real, imaginary; };

template <class Value, class Index> struct value_and_index {
    Value value;
    Index index;
};

/// A truth value stored as an integer: any bits but zero are true, and true is written as 1.
template <class Stored> struct truth { Stored stored; };

/// The unsigned type in which integers of type T add and multiply without undefined overflow.
template <class T> using modular =
    std::conditional_t<(sizeof(T) > 8), unsigned_128,
                       std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>>;

// std::is_integral does not know the 128-bit types in strict mode.
template <class T> inline constexpr bool is_integer =
    std::is_integral_v<T> || std::is_same_v<T, signed_128> || std::is_same_v<T, unsigned_128>;

template <class T> constexpr T sum_of(T a, T b) {
    if constexpr (is_integer<T>) {
        return static_cast<T>(static_cast<modular<T>>(a) + static_cast<modular<T>>(b));
    } else {
        return static_cast<T>(a + b);
    }
}

template <class T> constexpr T product_of(T a, T b) {
    if constexpr (is_integer<T>) {
        return static_cast<T>(static_cast<modular<T>>(a) * static_cast<modular<T>>(b));
    } else {
        return static_cast<T>(a * b);
    }
}

template <class T> constexpr bool is_true(T a) {
    return a != T{};
}
template <class Stored> constexpr bool is_true(truth<Stored> a) {
    return a.stored != Stored{};
}
template <class T> constexpr T from_bool(bool value) {
    return T{value};
}

template <reduction> struct combine;

template <> struct combine<reduction::sum> {
    template <class T> static T of(T a, T b) { return sum_of(a, b); }
    template <class Real> static complex_number<Real> of(complex_number<Real> a, complex_number<Real> b) {
        return {sum_of(a.real, b.real), sum_of(a.imaginary, b.imaginary)};
    }
};

template <> struct combine<reduction::prod> {
    template <class T> static T of(T a, T b) { return product_of(a, b); }
    template <class Real> static complex_number<Real> of(complex_number<Real> a, complex_number<Real> b) {
        return {static_cast<Real>(a.real * b.real - a.imaginary * b.imaginary),
                static_cast<Real>(a.real * b.imaginary + a.imaginary * b.real)};
    }
};

template <> struct combine<reduction::min> {
    template <class T> static T of(T a, T b) { return b < a ? b : a; }
};

template <> struct combine<reduction::max> {
    template <class T> static T of(T a, T b) { return a < b ? b : a; }
};

template <> struct combine<reduction::band> {
    template <class T> static T of(T a, T b) { return static_cast<T>(a & b); }
};

template <> struct combine<reduction::bor> {
    template <class T> static T of(T a, T b) { return static_cast<T>(a | b); }
};

template <> struct combine<reduction::bxor> {
    template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); }
};

template <> struct combine<reduction::land> {
    template <class T> static T of(T a, T b) { return from_bool<T>(is_true(a) && is_true(b)); }
};

template <> struct combine<reduction::lor> {
    template <class T> static T of(T a, T b) { return from_bool<T>(is_true(a) || is_true(b)); }
};

template <> struct combine<reduction::lxor> {
    template <class T> static T of(T a, T b) { return from_bool<T>(is_true(a) != is_true(b)); }
};

// Of equal values the lower index wins.
template <> struct combine<reduction::minloc> {
    template <class Pair> static Pair of(Pair a, Pair b) {
        return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
    }
};

template <> struct combine<reduction::maxloc> {
    template <class Pair> static Pair of(Pair a, Pair b) {
        return a.value < b.value || (b.value == a.value && b.index < a.index) ? b : a;
    }
};

// Elements are copied in and out, since users' arrays need not be aligned; compilers make plain (vector)
// loads and stores of it.
template <class T> T load(const std::byte *from) noexcept {
    T value;
    if constexpr (requires { value.index; }) {
        // In parts, as they are stored: the last pair's memory may end before its padding.
        value.value = load<decltype(value.value)>(from + offsetof(T, value));
        value.index = load<decltype(value.index)>(from + offsetof(T, index));
    } else {
        std::memcpy(&value, from, sizeof value);
    }
    return value;
}

template <class T> void store(const T &value, std::byte *to) noexcept {
    std::memcpy(to, &value, sizeof value);
}

template <class Value, class Index>
void store(const value_and_index<Value, Index> &pair, std::byte *to) noexcept {
    using layout = value_and_index<Value, Index>;
    store(pair.value, to + offsetof(layout, value));
    store(pair.index, to + offsetof(layout, index));
}

template <reduction Operation, class T>
void reduce_array(const std::byte *__restrict in, std::byte *__restrict inout, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * sizeof(T);
        store<>(combine<Operation>::of(load<T>(in + at), load<T>(inout + at)), inout + at);
    }
}

template <reduction Operation, class T>
void combine_arrays(const std::byte *__restrict first, const std::byte *__restrict second,
                    std::byte *__restrict out, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * sizeof(T);
        store<>(combine<Operation>::of(load<T>(first + at), load<T>(second + at)), out + at);
    }
}

constexpr bool allowed(reduction operation, type_category category) noexcept {
    using enum type_category;
    switch (operation) {
    case reduction::sum:
    case reduction::prod:
        return category == c_integer || category == fortran_integer || category == floating_point ||
               category == multi_language || category == complex;
    case reduction::min:
    case reduction::max:
        return category == c_integer || category == fortran_integer || category == floating_point ||
               category == multi_language;
    case reduction::band:
    case reduction::bor:
    case reduction::bxor:
        return category == c_integer || category == fortran_integer || category == byte ||
               category == multi_language;
    case reduction::land:
    case reduction::lor:
    case reduction::lxor:
        return category == c_integer || category == logical;
    case reduction::minloc:
    case reduction::maxloc:
        return category == pair;
    }
    return false;
}

/// The kernels of one representation: those that any of its categories allows.
template <class T, type_category... Categories> constexpr kernel_row row() noexcept {
    kernel_row kernels{};
    const auto enter = [&kernels]<reduction Operation>() {
        if constexpr ((allowed(Operation, Categories) || ...)) {
            kernels[static_cast<std::size_t>(Operation)] = {&reduce_array<Operation, T>,
                                                            &combine_arrays<Operation, T>};
        }
    };
    const auto enter_all = [&enter]<std::size_t... Index>(std::index_sequence<Index...>) {
        (enter.template operator()<static_cast<reduction>(Index)>(), ...);
    };
    enter_all(std::make_index_sequence<kernel_operations>{});
    return kernels;
}

constexpr kernel_table make_table() noexcept {
    using enum basic_type;
    using category = type_category;
    kernel_table table{};
    const auto at = [&table](basic_type type) -> kernel_row & {
        return table[static_cast<std::size_t>(type)];
    };

    at(int8) = row<std::int8_t, category::c_integer>();
    at(int16) = row<std::int16_t, category::c_integer>();
    at(int32) = row<std::int32_t, category::c_integer>();
    at(int64) = row<std::int64_t, category::c_integer>();
    at(int128) = row<signed_128, category::c_integer>();
    at(uint8) = row<std::uint8_t, category::c_integer>();
    at(uint16) = row<std::uint16_t, category::c_integer>();
    at(uint32) = row<std::uint32_t, category::c_integer>();
    at(uint64) = row<std::uint64_t, category::c_integer>();
#ifdef LISLE_HAS_BINARY_16 // else no operation is defined on it
    at(float16) = row<binary_16, category::floating_point>();
    at(complex_float16) = row<complex_number<binary_16>, category::complex>();
#endif
    at(float32) = row<float, category::floating_point>();
    at(float64) = row<double, category::floating_point>();
    at(long_double) = row<long double, category::floating_point>();
    at(float128) = row<binary_128, category::floating_point>();
    at(complex_float32) = row<complex_number<float>, category::complex>();
    at(complex_float64) = row<complex_number<double>, category::complex>();
    at(complex_long_double) = row<complex_number<long double>, category::complex>();
    at(complex_float128) = row<complex_number<binary_128>, category::complex>();
    at(c_bool) = row<truth<std::uint8_t>, category::logical>();
    at(logical8) = row<truth<std::int8_t>, category::logical>();
    at(logical16) = row<truth<std::int16_t>, category::logical>();
    at(logical32) = row<truth<std::int32_t>, category::logical>();
    at(logical64) = row<truth<std::int64_t>, category::logical>();
    at(logical128) = row<truth<signed_128>, category::logical>();
    at(byte) = row<std::uint8_t, category::byte>();
    at(pair_float32_int32) = row<value_and_index<float, std::int32_t>, category::pair>();
    at(pair_float64_int32) = row<value_and_index<double, std::int32_t>, category::pair>();
    at(pair_int64_int32) = row<value_and_index<std::int64_t, std::int32_t>, category::pair>();
    at(pair_int32_int32) = row<value_and_index<std::int32_t, std::int32_t>, category::pair>();
    at(pair_int16_int32) = row<value_and_index<std::int16_t, std::int32_t>, category::pair>();
    at(pair_long_double_int32) = row<value_and_index<long double, std::int32_t>, category::pair>();
    at(pair_float32_float32) = row<value_and_index<float, float>, category::pair>();
    at(pair_float64_float64) = row<value_and_index<double, double>, category::pair>();
    return table;
}

} // namespace

} // namespace lisle::collective
