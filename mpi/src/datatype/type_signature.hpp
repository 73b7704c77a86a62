// SPDX-License-Identifier: Apache-2.0
// What data consist of, whatever made them: the sequence of their basic types, which the standard calls a
// type signature [MPI-5.0 5.1]. Kept as a sum, so that a million elements cost what one costs, and equal for
// sequences that are equal, however they were made: a polynomial modulo 2^64 whose coefficients are the basic
// types.
#pragma once

#include <cstdint>
#include <optional>

#include "datatype/basic_type.hpp"
#include "mpi.h"

namespace lisle {

class datatype;
struct type_origin;

/// Of different sequences the sums differ but for a rare chance.
struct type_signature {
    std::uint64_t factor = 1; ///< the base to the power of the sequence's length; 0: see unknown()
    std::uint64_t sum = 0;

    /// Of data with bytes that mean nothing (MPI_BYTE): they fit everything.
    [[nodiscard]] static constexpr type_signature unknown() noexcept { return {0, 0}; }
    [[nodiscard]] constexpr bool known() const noexcept { return factor != 0; }
    friend constexpr bool operator==(const type_signature &, const type_signature &) = default;
};

/// Of one sequence and then the other.
[[nodiscard]] type_signature joined(const type_signature &one, const type_signature &other) noexcept;
/// Of a sequence so many times.
[[nodiscard]] type_signature repeated(const type_signature &one, MPI_Count times) noexcept;

/// Of one element of a representation. A pair is two.
[[nodiscard]] type_signature signature_of(basic_type basic) noexcept;
/// Of `bytes` bytes of such elements.
[[nodiscard]] type_signature signature_of(basic_type basic, MPI_Count bytes) noexcept;
/// Of one element of a type that a call makes: what datatypes keep while they are checked.
[[nodiscard]] type_signature signature_of(const type_origin &origin, MPI_Count size) noexcept;
/// Of the first bytes of elements of a type, one after the other. Nothing: a basic element would be cut.
/// @pre messages are checked (base/checks.hpp)
[[nodiscard]] std::optional<type_signature> signature_of_first(const datatype &type, MPI_Count bytes);

/// Whether data that were sent may be received as the others are, as far as both are known.
[[nodiscard]] constexpr bool fit_together(const type_signature &one, const type_signature &other) noexcept {
    return one == other || !one.known() || !other.known();
}

} // namespace lisle
