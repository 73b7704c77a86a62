// SPDX-License-Identifier: Apache-2.0
// Attributes of datatypes. They are kept beside the types and for each rank by itself: types are
// immutable, and the predefined ones belong to all ranks of a process at once.
#pragma once

#include "communicator/attributes.hpp"
#include "datatype/datatype.hpp"

namespace lisle {

/// The calling rank's attributes of a type; made if there are none yet.
[[nodiscard]] attribute_set &attributes_of(const datatype &type);
/// Asks the copy functions what a duplicate gets: part of MPI_Type_dup.
void copy_type_attributes(const datatype &from, const datatype &duplicate);
/// Runs the delete functions: part of MPI_Type_free. If one fails, the type must not be freed.
void delete_type_attributes(const datatype &type);

} // namespace lisle
