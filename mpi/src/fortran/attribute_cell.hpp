// SPDX-License-Identifier: Apache-2.0
// What C sees of an attribute that Fortran has set: the address of its value, in a cell of its own. What C
// has set is for Fortran the pointer as an integer [MPI-5.0 19.3.7]. Any thread may call these.
#pragma once

#include "mpi.h"

namespace lisle::fortran {

/// Null if there is no memory.
[[nodiscard]] void *new_cell(MPI_Aint value) noexcept;
/// The value in a cell; of any other pointer the pointer itself.
[[nodiscard]] MPI_Aint value_of(void *attribute) noexcept;
/// Nothing happens to pointers that are no cells.
void free_cell(void *attribute) noexcept;

} // namespace lisle::fortran
