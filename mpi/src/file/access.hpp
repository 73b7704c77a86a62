// SPDX-License-Identifier: Apache-2.0
// Data access of one rank alone [MPI-5.0 14.4]: the bytes of the view that a call accesses, and the accesses
// that wait for no other rank.
#pragma once

#include "file/open_file.hpp"
#include "file/payload.hpp"

namespace lisle::file {

/// Throws unless the file was opened for such accesses, and, for calls with an offset, without
/// MPI_MODE_SEQUENTIAL.
void check_access(const open_file &on, direction way, bool says_where);

// Where an access begins, as a position in the view. Pointers move on by all that is asked for.
[[nodiscard]] MPI_Count at_offset(const open_file &on, MPI_Offset offset);
[[nodiscard]] MPI_Count at_individual_pointer(open_file &on, const typed_buffer &data);
[[nodiscard]] MPI_Count at_shared_pointer(open_file &on, const typed_buffer &data);
/// Collective: the ranks' accesses follow each other in the order of ranks.
[[nodiscard]] MPI_Count in_order_of_ranks(open_file &on, const typed_buffer &data);

/// Reads or writes now. Returns the bytes of the buffer's data that were.
[[nodiscard]] MPI_Count access(open_file &on, direction way, MPI_Count position, const typed_buffer &data);
/// The same on the file's helper. The caller owns the request.
[[nodiscard]] protocol::request *start_access(open_file &on, direction way, MPI_Count position,
                                              const typed_buffer &data);

/// MPI_File_seek and MPI_File_seek_shared, which is collective. [MPI-5.0 14.4.3, 14.4.4]
void seek(open_file &on, MPI_Offset offset, int whence);
void seek_shared(open_file &on, MPI_Offset offset, int whence);

} // namespace lisle::file
