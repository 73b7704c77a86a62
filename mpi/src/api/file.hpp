// SPDX-License-Identifier: Apache-2.0
// The calls of MPI that open files and tell of them, set views and file pointers, and register data
// representations [MPI-5.0 14.2, 14.3, 14.5, 14.6].
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "datatype/datatype.hpp"
#include "file/open_file.hpp"
#include "mpi.h"

namespace lisle::api {

void file_close(MPI_File *fh);
void file_delete(const char *filename, info *info);
void file_get_amode(file::open_file &fh, int *amode);
void file_get_atomicity(file::open_file &fh, int *flag);
void file_get_byte_offset(file::open_file &fh, MPI_Offset offset, MPI_Offset *disp);
void file_get_group(file::open_file &fh, MPI_Group *group);
void file_get_info(file::open_file &fh, MPI_Info *info_used);
void file_get_position(file::open_file &fh, MPI_Offset *offset);
void file_get_position_shared(file::open_file &fh, MPI_Offset *offset);
void file_get_size(file::open_file &fh, MPI_Offset *size);
void file_get_type_extent(file::open_file &fh, const datatype &datatype, MPI_Count &extent);
void file_get_view(file::open_file &fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                   char *datarep);
void file_open(communicator &comm, const char *filename, int amode, info *info, MPI_File *fh);
void file_preallocate(file::open_file &fh, MPI_Offset size);
void file_seek(file::open_file &fh, MPI_Offset offset, int whence);
void file_seek_shared(file::open_file &fh, MPI_Offset offset, int whence);
void file_set_atomicity(file::open_file &fh, int flag);
void file_set_info(file::open_file &fh, info *info);
void file_set_size(file::open_file &fh, MPI_Offset size);
void file_set_view(file::open_file &fh, MPI_Offset disp, const datatype &etype, const datatype &filetype,
                   const char *datarep, info *info);
void file_sync(file::open_file &fh);
void register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                      MPI_Datarep_conversion_function *write_conversion_fn,
                      MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state);
void register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn,
                        MPI_Datarep_conversion_function_c *write_conversion_fn,
                        MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state);

} // namespace lisle::api
