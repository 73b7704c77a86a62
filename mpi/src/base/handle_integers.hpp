// SPDX-License-Identifier: Apache-2.0
// Integers for handles, as Fortran needs them (MPI_Comm_toint and its kin). Constants are their own
// integers; other objects get one from a table of the process when they are first asked for theirs, keep it
// while they are used again, and give it back when they end.
#pragma once

#include "base/object.hpp"

namespace lisle {

/// The object's integer, at least `first_dynamic_handle`; the same each time. Any thread may ask.
/// Throws MPI_ERR_INTERN if there are no more integers, which are below 2^27.
[[nodiscard]] int integer_of(object &target);
/// The object with this integer, or null.
[[nodiscard]] object *object_with_integer(int integer) noexcept;

} // namespace lisle
