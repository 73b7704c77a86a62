// SPDX-License-Identifier: Apache-2.0
// Moving typed data. Three ways: into bytes (pack), out of bytes (unpack), and from one typed buffer
// straight into another. All can begin and end anywhere in the data, so that long messages can be cut
// into pieces: offsets count bytes of data, gaps not included.
#pragma once

#include <cstddef>
#include <span>
#include <sys/uio.h>
#include <vector>

#include "datatype/typed_buffer.hpp"

namespace lisle {

/// Writes bytes [offset, offset + to.size()) of `from`'s data to `to`.
/// @pre 0 <= offset and offset + to.size() <= from.bytes()
void pack(const typed_buffer &from, MPI_Count offset, std::span<std::byte> to);

/// Stores `from` as bytes [offset, offset + from.size()) of `to`'s data.
/// @pre 0 <= offset and offset + from.size() <= to.bytes()
void unpack(const typed_buffer &to, MPI_Count offset, std::span<const std::byte> from);

/// Copies bytes [offset, offset + length) of data straight from one typed buffer to another, with no
/// buffer between. The type signatures agree or are bytes; the buffers do not overlap.
void copy(const typed_buffer &from, const typed_buffer &to, MPI_Count offset, MPI_Count length);

/// Appends the memory runs that hold bytes [offset, offset + length) of the data, in data order, at
/// most `most` of them. Returns the number of data bytes covered (less than length if `most` ran out).
MPI_Count runs(const typed_buffer &buffer, MPI_Count offset, MPI_Count length, std::size_t most,
               std::vector<iovec> &into);

} // namespace lisle
