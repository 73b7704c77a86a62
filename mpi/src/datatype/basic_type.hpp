// SPDX-License-Identifier: Apache-2.0
// The machine representations that MPI's predefined datatypes have. Many predefined types share one
// (MPI_INT, MPI_INTEGER and MPI_INT32_T are all `int32`); kernels of reductions and conversions
// dispatch by representation, and by category where the standard treats types of one representation
// differently (MPI_LAND takes C integers, not Fortran's).
#pragma once

#include <cstdint>

namespace lisle {

/// One value for each distinct representation.
enum class basic_type : std::uint8_t {
    none,  ///< a datatype without data
    mixed, ///< a datatype made of several representations
    int8,
    int16,
    int32,
    int64,
    int128,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    float32,
    float64,
    long_double,
    float128,
    complex_float16,
    complex_float32,
    complex_float64,
    complex_long_double,
    complex_float128,
    c_bool,   ///< C's _Bool and C++'s bool: one byte, 0 or 1
    logical8, ///< Fortran's LOGICAL*1: zero is false; so for the others
    logical16,
    logical32,
    logical64,
    logical128,
    byte,      ///< MPI_BYTE and MPI_PACKED: bits without meaning
    character, ///< MPI_CHAR and MPI_CHARACTER: text, no number
    wide_character,
    pair_float32_int32, ///< value, then index, laid out as a C structure
    pair_float64_int32,
    pair_int64_int32,
    pair_int32_int32,
    pair_int16_int32,
    pair_long_double_int32,
    pair_float32_float32, ///< MPI_2REAL: the index is a real number
    pair_float64_float64,
};

/// True if data of one representation may be received as the other, as far as the two show: representations
/// without a type fit all, and pairs count as two elements.
[[nodiscard]] constexpr bool fit_together(basic_type one, basic_type other) noexcept {
    const auto says_nothing = [](basic_type type) {
        return type <= basic_type::mixed || type == basic_type::byte ||
               type >= basic_type::pair_float32_int32;
    };
    return one == other || says_nothing(one) || says_nothing(other);
}

/// True if that is certain for two types, neither of them mixed, without a comparison of signatures
/// (type_signature.hpp).
[[nodiscard]] constexpr bool surely_fit(basic_type one, basic_type other) noexcept {
    return one == other || one == basic_type::byte || other == basic_type::byte;
}

/// The groups of types that the standard's reduction operations accept or not.
enum class type_category : std::uint8_t {
    none, ///< derived types, and predefined ones that no operation takes
    c_integer,
    fortran_integer,
    floating_point,
    complex,
    logical,
    byte,
    multi_language,
    pair,
};

} // namespace lisle
