// SPDX-License-Identifier: Apache-2.0
// The standard's portable representation of data, "external32": big-endian, IEEE 754, without gaps,
// with the sizes of the standard's own table ([MPI-5.0 14.5.2]: MPI_LONG has 4 bytes there, MPI_WCHAR 2).
#pragma once

#include <cstddef>
#include <span>

#include "datatype/typed_buffer.hpp"

namespace lisle {

/// Converts all of `from`'s data. @pre to.size() is from.count times the type's external size
/// Throws MPI_ERR_CONVERSION if a number does not fit.
void pack_external32(const typed_buffer &from, std::span<std::byte> to);

/// Stores converted data into `to`, as many elements as `from` has. Returns their bytes in memory.
/// @pre from.size() is at most what pack_external32 makes of `to`
MPI_Count unpack_external32(const typed_buffer &to, std::span<const std::byte> from);

} // namespace lisle
