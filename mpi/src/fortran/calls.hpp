// SPDX-License-Identifier: Apache-2.0
// All that the generated procedures use.
#pragma once

#include <cstddef>

#include "fortran/handles.hpp"
#include "fortran/places.hpp"
#include "fortran/results.hpp"
#include "fortran/section.hpp"
#include "fortran/text.hpp"
#include "mpi.h"

namespace lisle::fortran {

/// How many ranks an all-to-all call of a communicator sends to.
int size_of(const int *comm) noexcept;
/// How many neighbours a rank has in the communicator's topology, which it sends to or receives from.
int destinations_of(const int *comm) noexcept;
int sources_of(const int *comm) noexcept;
/// Whether the calling rank is the root of a collective call.
bool is_root(const int *comm, const int *root) noexcept;

} // namespace lisle::fortran
