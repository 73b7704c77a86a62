// SPDX-License-Identifier: Apache-2.0
// Opening and closing of files, and the other collective operations without data [MPI-5.0 14.2, 14.3, 14.6].
// All functions are collective. If one rank fails, all ranks throw.
#pragma once

#include "file/open_file.hpp"

namespace lisle::file {

/// The arguments of MPI_File_open.
struct open_request {
    communicator &parent;
    const char *name;
    int amode;
    const info *hints; ///< may be null
};

[[nodiscard]] open_file *open(const open_request &asked);
/// MPI_File_close: waits for the operations that are under way. The file is gone, whatever is thrown.
void close(open_file *closed);

/// The arguments of MPI_File_set_view.
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
/// MPI_File_sync: the data that any rank has written are on the device and visible to all.
void sync(open_file &on);

} // namespace lisle::file
