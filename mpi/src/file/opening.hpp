// SPDX-License-Identifier: Apache-2.0
// How files are opened and closed, and what else all ranks of a file do together without moving data
// [MPI-5.0 14.2, 14.3, 14.6]. All functions are collective. What the system refuses to one rank, all ranks
// throw.
#pragma once

#include "file/open_file.hpp"

namespace lisle::file {

/// What MPI_File_open is told.
struct open_request {
    communicator &parent;
    const char *name;
    int amode;
    const info *hints; ///< may be null
};

[[nodiscard]] open_file *open(const open_request &asked);
/// MPI_File_close: waits for the operations that are under way. The file is gone, whatever is thrown.
void close(open_file *closed);

/// What MPI_File_set_view is told.
struct view_request {
    MPI_Offset displacement;
    const datatype &etype, &filetype;
    const char *form; ///< name of a data representation
    const info *hints;
};
void set_view(open_file &on, const view_request &asked);
void set_info(open_file &on, const info &hints);
void set_atomicity(open_file &on, bool atomic);
void set_size(open_file &on, MPI_Offset size);
void preallocate(open_file &on, MPI_Offset size);
/// What any rank has written is on the device, and seen by all.
void sync(open_file &on);

} // namespace lisle::file
