// SPDX-License-Identifier: Apache-2.0
#include "api/file.hpp"

#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"
#include "file/access.hpp"
#include "file/opening.hpp"
#include "world/group.hpp"

namespace lisle::api {

namespace {

/// Calls that say where in the file something is make no sense for a sequence.
void check_not_sequential(const file::open_file &fh) {
    if (fh.has(MPI_MODE_SEQUENTIAL)) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION,
             "the file was opened with MPI_MODE_SEQUENTIAL, so it has no positions");
    }
}

/// A handle for the program, which frees it if the type is a derived one.
MPI_Datatype give(const datatype &type) {
    type.retain();
    return datatype_handle(type);
}

} // namespace

void file_close(MPI_File *fh) {
    file::open_file *const closed = file::find_file(*fh);
    if (closed->split) {
        fail(MPI_ERR_OTHER, "the file is closed between ", closed->split->call, "_begin and ",
             closed->split->call, "_end");
    }
    *fh = MPI_FILE_NULL;
    file::close(closed);
}

void file_delete(const char *filename, info *) {
    file::remove_file(file::plain_name(filename));
}

void file_get_amode(file::open_file &fh, int *amode) {
    *amode = fh.amode();
}

void file_get_atomicity(file::open_file &fh, int *flag) {
    *flag = fh.atomic.load(std::memory_order_relaxed) ? 1 : 0;
}

void file_get_byte_offset(file::open_file &fh, MPI_Offset offset, MPI_Offset *disp) {
    check_not_sequential(fh);
    *disp = fh.seen->offset_of(file::at_offset(fh, offset));
}

void file_get_group(file::open_file &fh, MPI_Group *group) {
    *group = give_handle(group_ref::share(fh.comm().local_group()));
}

void file_get_info(file::open_file &fh, MPI_Info *info_used) {
    auto used = std::make_unique<info>();
    fh.how.describe(*used);
    *info_used = handle_of<MPI_Info>(*used.release());
}

void file_get_position(file::open_file &fh, MPI_Offset *offset) {
    check_not_sequential(fh);
    *offset = fh.position.load(std::memory_order_relaxed) / fh.seen->unit();
}

void file_get_position_shared(file::open_file &fh, MPI_Offset *offset) {
    check_not_sequential(fh);
    *offset = fh.shared->get() / fh.seen->unit();
}

void file_get_size(file::open_file &fh, MPI_Offset *size) {
    *size = fh.on_disk().size();
}

void file_get_type_extent(file::open_file &fh, const datatype &datatype, MPI_Count &extent) {
    extent = fh.seen->form().extent_in_file(datatype);
}

void file_get_view(file::open_file &fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                   char *datarep) {
    const file::view &seen = *fh.seen;
    *disp = seen.displacement();
    *etype = give(seen.etype());
    *filetype = give(seen.filetype());
    const std::string &name = seen.form().name();
    std::memcpy(datarep, name.c_str(), name.size() + 1);
}

void file_open(communicator &comm, const char *filename, int amode, info *info, MPI_File *fh) {
    *fh = MPI_FILE_NULL;
    *fh = file::open({comm, filename, amode, info})->handle();
}

void file_preallocate(file::open_file &fh, MPI_Offset size) {
    file::preallocate(fh, size);
}

void file_seek(file::open_file &fh, MPI_Offset offset, int whence) {
    check_not_sequential(fh);
    file::seek(fh, offset, whence);
}

void file_seek_shared(file::open_file &fh, MPI_Offset offset, int whence) {
    check_not_sequential(fh);
    file::seek_shared(fh, offset, whence);
}

void file_set_atomicity(file::open_file &fh, int flag) {
    file::set_atomicity(fh, flag != 0);
}

void file_set_info(file::open_file &fh, info *info) {
    if (info != nullptr) {
        file::set_info(fh, *info);
    }
}

void file_set_size(file::open_file &fh, MPI_Offset size) {
    file::set_size(fh, size);
}

void file_set_view(file::open_file &fh, MPI_Offset disp, const datatype &etype, const datatype &filetype,
                   const char *datarep, info *info) {
    file::set_view(fh, {disp, etype, filetype, datarep, info});
}

void file_sync(file::open_file &fh) {
    file::sync(fh);
}

void register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                      MPI_Datarep_conversion_function *write_conversion_fn,
                      MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state) {
    file::representation::add(datarep, {.small_read = read_conversion_fn,
                                        .small_write = write_conversion_fn,
                                        .extent = dtype_file_extent_fn,
                                        .state = extra_state});
}

void register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn,
                        MPI_Datarep_conversion_function_c *write_conversion_fn,
                        MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state) {
    file::representation::add(datarep, {.read = read_conversion_fn,
                                        .write = write_conversion_fn,
                                        .extent = dtype_file_extent_fn,
                                        .state = extra_state});
}

} // namespace lisle::api
