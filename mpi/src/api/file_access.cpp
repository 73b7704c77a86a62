// SPDX-License-Identifier: Apache-2.0
// From the calls that read and write files to accesses: each says where the access begins (an offset, or one
// of the file pointers), and in which of the forms of a call it is made.
#include "api/file_access.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "api/compared_calls.hpp"
#include "api/pending_buffers.hpp"
#include "api/request.hpp"
#include "base/error.hpp"
#include "file/access.hpp"
#include "file/collective_access.hpp"

namespace lisle::api {

namespace {

using file::direction;
using file::open_file;

/// Where an access begins.
struct place {
    enum class kind { offset, individual, shared } what;
    MPI_Offset offset = 0;
};
place at(MPI_Offset offset) {
    return {place::kind::offset, offset};
}
constexpr place individual{place::kind::individual};
constexpr place shared{place::kind::shared};

MPI_Count position_of(open_file &fh, const place &where, const typed_buffer &data) {
    switch (where.what) {
    case place::kind::offset:
        return file::at_offset(fh, where.offset);
    case place::kind::individual:
        return file::at_individual_pointer(fh, data);
    default:
        return file::at_shared_pointer(fh, data);
    }
}

/// Checks what all forms check, and says where the access begins.
MPI_Count begin(open_file &fh, direction way, const place &where, const typed_buffer &data) {
    file::check_access(fh, way, where.what != place::kind::shared);
    return position_of(fh, where, data);
}

void tell(MPI_Count bytes, MPI_Status *status) {
    protocol::outcome{.bytes = bytes}.store(status);
}

/// What an access does to its buffer.
watched_memory::use use_by(direction way) noexcept {
    return way == direction::reading ? watched_memory::use::writes : watched_memory::use::reads;
}

/// The call that the thread is in uses the buffer and does not return before it is done with it.
void look_at_use(direction way, const typed_buffer &data) {
    if (abi::pending_buffers::watched()) [[unlikely]] {
        watched_list used{false};
        used.add(use_by(way), {data});
        abi::pending->look(used);
    }
}

/// A request for what `start` begins with the buffer that it is given.
template <class Start>
MPI_Request begin_access(open_file &fh, direction way, const typed_buffer &data, Start start) {
    if (!abi::pending_buffers::watched()) [[likely]] {
        return abi::give_request(start(data), &fh.comm());
    }
    watched_list used;
    const typed_buffer given = way == direction::reading ? used.writes(data) : used.reads(data);
    abi::pending->begin(used);
    protocol::request *const made = start(given);
    abi::pending->add(*made, std::move(used));
    return abi::give_request(made, &fh.comm());
}

// The forms.

void access(open_file &fh, direction way, const place &where, const typed_buffer &data, MPI_Status *status) {
    look_at_use(way, data);
    tell(file::access(fh, way, begin(fh, way, where, data), data), status);
}

void start_access(open_file &fh, direction way, const place &where, const typed_buffer &data,
                  MPI_Request *request) {
    *request = begin_access(fh, way, data, [&](const typed_buffer &given) {
        return file::start_access(fh, way, begin(fh, way, where, given), given);
    });
}

void access_all(open_file &fh, direction way, const place &where, const typed_buffer &data,
                MPI_Status *status) {
    abi::compare_calls(fh.comm());
    look_at_use(way, data);
    tell(file::access_all(fh, way, begin(fh, way, where, data), data), status);
}

void start_access_all(open_file &fh, direction way, const place &where, const typed_buffer &data,
                      MPI_Request *request) {
    *request = begin_access(fh, way, data, [&](const typed_buffer &given) {
        return file::start_access_all(fh, way, begin(fh, way, where, given), given);
    });
}

void access_ordered(open_file &fh, direction way, const typed_buffer &data, MPI_Status *status) {
    file::check_access(fh, way, false);
    abi::compare_calls(fh.comm());
    look_at_use(way, data);
    tell(file::access_ordered(fh, way, data), status);
}

// Split collective accesses are made in their first call. [MPI-5.0 14.4.5]

void check_no_split(const open_file &fh) {
    if (fh.split) {
        fail(MPI_ERR_OTHER, "a split collective access is under way: call ", fh.split->call, "_end first");
    }
}

/// @param call its name without "_begin"
void begin_split(open_file &fh, direction way, const place &where, const typed_buffer &data,
                 const char *call) {
    check_no_split(fh);
    abi::compare_calls(fh.comm());
    const MPI_Count bytes = file::access_all(fh, way, begin(fh, way, where, data), data);
    fh.split = {data.address, call, bytes};
}

void begin_split_ordered(open_file &fh, direction way, const typed_buffer &data, const char *call) {
    check_no_split(fh);
    file::check_access(fh, way, false);
    abi::compare_calls(fh.comm());
    fh.split = {data.address, call, file::access_ordered(fh, way, data)};
}

void end_split(open_file &fh, const void *buffer, const char *call, MPI_Status *status) {
    if (!fh.split || std::strcmp(fh.split->call, call) != 0) {
        fail(MPI_ERR_OTHER, fh.split ? fh.split->call : call, "_begin has ",
             fh.split ? "been called, which this call does not end" : "not been called");
    }
    if (buffer != fh.split->buffer) {
        fail(MPI_ERR_BUFFER, "buf is ", buffer, ", but ", call, "_begin was given ", fh.split->buffer);
    }
    tell(fh.split->bytes, status);
    fh.split.reset();
}

} // namespace

// Reads.

void file_read_at(open_file &fh, MPI_Offset offset, void *buf, MPI_Count count, const datatype &datatype,
                  MPI_Status *status) {
    access(fh, direction::reading, at(offset), {buf, count, datatype}, status);
}
void file_iread_at(open_file &fh, MPI_Offset offset, void *buf, MPI_Count count, const datatype &datatype,
                   MPI_Request *request) {
    start_access(fh, direction::reading, at(offset), {buf, count, datatype}, request);
}
void file_read(open_file &fh, void *buf, MPI_Count count, const datatype &datatype, MPI_Status *status) {
    access(fh, direction::reading, individual, {buf, count, datatype}, status);
}
void file_iread(open_file &fh, void *buf, MPI_Count count, const datatype &datatype, MPI_Request *request) {
    start_access(fh, direction::reading, individual, {buf, count, datatype}, request);
}
void file_read_shared(open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                      MPI_Status *status) {
    access(fh, direction::reading, shared, {buf, count, datatype}, status);
}
void file_iread_shared(open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Request *request) {
    start_access(fh, direction::reading, shared, {buf, count, datatype}, request);
}
void file_read_at_all(open_file &fh, MPI_Offset offset, void *buf, MPI_Count count, const datatype &datatype,
                      MPI_Status *status) {
    access_all(fh, direction::reading, at(offset), {buf, count, datatype}, status);
}
void file_iread_at_all(open_file &fh, MPI_Offset offset, void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Request *request) {
    start_access_all(fh, direction::reading, at(offset), {buf, count, datatype}, request);
}
void file_read_at_all_begin(open_file &fh, MPI_Offset offset, void *buf, MPI_Count count,
                            const datatype &datatype) {
    begin_split(fh, direction::reading, at(offset), {buf, count, datatype}, "MPI_File_read_at_all");
}
void file_read_at_all_end(open_file &fh, void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_read_at_all", status);
}
void file_read_all(open_file &fh, void *buf, MPI_Count count, const datatype &datatype, MPI_Status *status) {
    access_all(fh, direction::reading, individual, {buf, count, datatype}, status);
}
void file_iread_all(open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                    MPI_Request *request) {
    start_access_all(fh, direction::reading, individual, {buf, count, datatype}, request);
}
void file_read_all_begin(open_file &fh, void *buf, MPI_Count count, const datatype &datatype) {
    begin_split(fh, direction::reading, individual, {buf, count, datatype}, "MPI_File_read_all");
}
void file_read_all_end(open_file &fh, void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_read_all", status);
}
void file_read_ordered(open_file &fh, void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Status *status) {
    access_ordered(fh, direction::reading, {buf, count, datatype}, status);
}
void file_read_ordered_begin(open_file &fh, void *buf, MPI_Count count, const datatype &datatype) {
    begin_split_ordered(fh, direction::reading, {buf, count, datatype}, "MPI_File_read_ordered");
}
void file_read_ordered_end(open_file &fh, void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_read_ordered", status);
}

// Writes.

void file_write_at(open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                   const datatype &datatype, MPI_Status *status) {
    access(fh, direction::writing, at(offset), {buf, count, datatype}, status);
}
void file_iwrite_at(open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                    const datatype &datatype, MPI_Request *request) {
    start_access(fh, direction::writing, at(offset), {buf, count, datatype}, request);
}
void file_write(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                MPI_Status *status) {
    access(fh, direction::writing, individual, {buf, count, datatype}, status);
}
void file_iwrite(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                 MPI_Request *request) {
    start_access(fh, direction::writing, individual, {buf, count, datatype}, request);
}
void file_write_shared(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                       MPI_Status *status) {
    access(fh, direction::writing, shared, {buf, count, datatype}, status);
}
void file_iwrite_shared(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                        MPI_Request *request) {
    start_access(fh, direction::writing, shared, {buf, count, datatype}, request);
}
void file_write_at_all(open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                       const datatype &datatype, MPI_Status *status) {
    access_all(fh, direction::writing, at(offset), {buf, count, datatype}, status);
}
void file_iwrite_at_all(open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                        const datatype &datatype, MPI_Request *request) {
    start_access_all(fh, direction::writing, at(offset), {buf, count, datatype}, request);
}
void file_write_at_all_begin(open_file &fh, MPI_Offset offset, const void *buf, MPI_Count count,
                             const datatype &datatype) {
    begin_split(fh, direction::writing, at(offset), {buf, count, datatype}, "MPI_File_write_at_all");
}
void file_write_at_all_end(open_file &fh, const void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_write_at_all", status);
}
void file_write_all(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                    MPI_Status *status) {
    access_all(fh, direction::writing, individual, {buf, count, datatype}, status);
}
void file_iwrite_all(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                     MPI_Request *request) {
    start_access_all(fh, direction::writing, individual, {buf, count, datatype}, request);
}
void file_write_all_begin(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype) {
    begin_split(fh, direction::writing, individual, {buf, count, datatype}, "MPI_File_write_all");
}
void file_write_all_end(open_file &fh, const void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_write_all", status);
}
void file_write_ordered(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype,
                        MPI_Status *status) {
    access_ordered(fh, direction::writing, {buf, count, datatype}, status);
}
void file_write_ordered_begin(open_file &fh, const void *buf, MPI_Count count, const datatype &datatype) {
    begin_split_ordered(fh, direction::writing, {buf, count, datatype}, "MPI_File_write_ordered");
}
void file_write_ordered_end(open_file &fh, const void *buf, MPI_Status *status) {
    end_split(fh, buf, "MPI_File_write_ordered", status);
}

} // namespace lisle::api
