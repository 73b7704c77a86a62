// SPDX-License-Identifier: Apache-2.0
// The calls of MPI that read and write files [MPI-5.0 14.4].
#pragma once

#include "datatype/datatype.hpp"
#include "file/open_file.hpp"
#include "mpi.h"

namespace lisle::api {

void file_iread(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                MPI_Request *request);
void file_iread_all(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                    MPI_Request *request);
void file_iread_at(file::open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                   const datatype &datatype, MPI_Request *request);
void file_iread_at_all(file::open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                       const datatype &datatype, MPI_Request *request);
void file_iread_shared(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Request *request);
void file_iwrite(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                 MPI_Request *request);
void file_iwrite_all(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                     MPI_Request *request);
void file_iwrite_at(file::open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                    const datatype &datatype, MPI_Request *request);
void file_iwrite_at_all(file::open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                        const datatype &datatype, MPI_Request *request);
void file_iwrite_shared(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                        MPI_Request *request);
void file_read(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype, MPI_Status *status);
void file_read_all(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                   MPI_Status *status);
void file_read_all_begin(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype);
void file_read_all_end(file::open_file &fh, void *buf, MPI_Status *status);
void file_read_at(file::open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                  const datatype &datatype, MPI_Status *status);
void file_read_at_all(file::open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                      const datatype &datatype, MPI_Status *status);
void file_read_at_all_begin(file::open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                            const datatype &datatype);
void file_read_at_all_end(file::open_file &fh, void *buf, MPI_Status *status);
void file_read_ordered(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Status *status);
void file_read_ordered_begin(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype);
void file_read_ordered_end(file::open_file &fh, void *buf, MPI_Status *status);
void file_read_shared(file::open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                      MPI_Status *status);
void file_write(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                MPI_Status *status);
void file_write_all(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                    MPI_Status *status);
void file_write_all_begin(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype);
void file_write_all_end(file::open_file &fh, const void *buf, MPI_Status *status);
void file_write_at(file::open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                   const datatype &datatype, MPI_Status *status);
void file_write_at_all(file::open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                       const datatype &datatype, MPI_Status *status);
void file_write_at_all_begin(file::open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                             const datatype &datatype);
void file_write_at_all_end(file::open_file &fh, const void *buf, MPI_Status *status);
void file_write_ordered(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                        MPI_Status *status);
void file_write_ordered_begin(file::open_file &fh, const void *buf, MPI_Count count,
                              const datatype &datatype);
void file_write_ordered_end(file::open_file &fh, const void *buf, MPI_Status *status);
void file_write_shared(file::open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Status *status);

} // namespace lisle::api
