// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lisle {

class info;

/// What the key mpi_minimum_memory_alignment asks for, at least a cache line. [MPI-5.0 9.2, 12.2.2]
/// @param hints may be null
/// Throws mpi_error (MPI_ERR_INFO_VALUE) unless it is a power of two up to a page.
[[nodiscard]] std::size_t memory_alignment(const info *hints);

} // namespace lisle
