// SPDX-License-Identifier: Apache-2.0
// The predefined reductions on arrays of machine numbers: one small function for each combination of
// operation and representation that the standard allows, found through one table. Pure computation: knows
// nothing of handles, datatypes with gaps, or messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/basic_type.hpp"

namespace lisle::collective {

/// The function of a predefined operation.
enum class reduction : unsigned char {
    sum,
    min,
    max,
    prod,
    band,
    bor,
    bxor,
    land,
    lor,
    lxor,
    minloc,
    maxloc
};

/// The kernel of an operation on C arrays of a representation. Arrays need no alignment; bytes between the
/// members of a pair are not changed. Null if the standard does not define it.
struct reduction_kernels {
    /// inout[i] = in[i] op inout[i]; the two do not overlap.
    void (*apply)(const std::byte *in, std::byte *inout, std::size_t count) noexcept = nullptr;
    /// out[i] = first[i] op second[i]; no two overlap.
    void (*combine)(const std::byte *first, const std::byte *second, std::byte *out,
                    std::size_t count) noexcept = nullptr;
};

/// A bit for each category of types that an operation is defined for.
[[nodiscard]] std::uint16_t allowed_categories(reduction operation) noexcept;

/// The kernels of an operation on types of this category, the fastest that the machine can run.
[[nodiscard]] reduction_kernels find_kernels(reduction operation, basic_type type,
                                             type_category category) noexcept;

} // namespace lisle::collective
