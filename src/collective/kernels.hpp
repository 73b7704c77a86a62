// SPDX-License-Identifier: Apache-2.0
// The predefined reductions on arrays of machine numbers: one small function for each combination of
// operation and representation that the standard allows, found through one table. Pure computation: knows
// nothing of handles, datatypes with gaps, or messages.
#pragma once

#include <cstddef>

#include "datatype/basic_type.hpp"

namespace lisle::collective {

/// What a predefined operation computes.
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

/// inout[i] = in[i] op inout[i] for `count` elements laid out as a C array of the representation. The
/// arrays need no alignment and do not overlap; bytes between the members of a pair are left alone.
using reduction_kernel = void (*)(const std::byte *in, std::byte *inout, std::size_t count) noexcept;

/// The kernel, or null if the standard does not define the operation on types of this category.
[[nodiscard]] reduction_kernel find_kernel(reduction operation, basic_type type,
                                           type_category category) noexcept;

} // namespace lisle::collective
