// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <string>

namespace recovery {

namespace {

#define TAKEN at.take.data(), 4, MPI_INT
#define GIVEN at.give.data(), 4, MPI_INT

/// A collective access in its blocking and its non-blocking form.
#define ACCESS(NAME, I_NAME, ...)                                                                            \
    row{#NAME, need::file, end::fails,                                                                       \
        [](surroundings &at) { return NAME(at.file, __VA_ARGS__, MPI_STATUS_IGNORE); }},                     \
        row {                                                                                                \
#I_NAME, need::file, end::fails, [](surroundings &at) {                                          \
                MPI_Request request = MPI_REQUEST_NULL;                                                      \
                return finish(I_NAME(at.file, __VA_ARGS__, &request), request);                              \
            }           \
    }
#define SPLIT(NAME, ...)                                                                                     \
    row {                                                                                                    \
#NAME "_begin " #NAME "_end", need::file, end::fails, [](surroundings &at) {                         \
            const int error = NAME##_begin(at.file, __VA_ARGS__);                                            \
            return error != MPI_SUCCESS ? error : NAME##_end(at.file, at.take.data(), MPI_STATUS_IGNORE);    \
        }       \
    }
#define ALONE(NAME, ...)                                                                                     \
    row {                                                                                                    \
#NAME, need::file, end::works,                                                                       \
            [](surroundings & at) { return NAME(at.file, __VA_ARGS__, MPI_STATUS_IGNORE); }                  \
    }
#define STARTED(NAME, ...)                                                                                   \
    row {                                                                                                    \
#NAME, need::file, end::works, [](surroundings &at) {                                                \
            MPI_Request request = MPI_REQUEST_NULL;                                                          \
            return finish(NAME(at.file, __VA_ARGS__, &request), request);                                    \
        }       \
    }

const std::array rows{
    row{"MPI_File_open MPI_File_delete", need::all, end::fails,
        [](surroundings &at) {
            MPI_File file = MPI_FILE_NULL;
            const int error = MPI_File_open(at.comm, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
            if (error == MPI_SUCCESS)
                MPI_File_close(&file);
            return error;
        }},
    row{"MPI_File_close", need::file, end::fails, [](surroundings &at) { return MPI_File_close(&at.file); }},
    row{"MPI_File_set_view", need::file, end::fails,
        [](surroundings &at) {
            return MPI_File_set_view(at.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
        }},
    row{"MPI_File_set_size", need::file, end::fails,
        [](surroundings &at) { return MPI_File_set_size(at.file, 64); }},
    row{"MPI_File_preallocate", need::file, end::fails,
        [](surroundings &at) { return MPI_File_preallocate(at.file, 64); }},
    row{"MPI_File_set_atomicity", need::file, end::fails,
        [](surroundings &at) { return MPI_File_set_atomicity(at.file, 1); }},
    row{"MPI_File_sync", need::file, end::fails, [](surroundings &at) { return MPI_File_sync(at.file); }},
    row{"MPI_File_seek_shared", need::file, end::fails,
        [](surroundings &at) { return MPI_File_seek_shared(at.file, 0, MPI_SEEK_SET); }},
    ACCESS(MPI_File_read_all, MPI_File_iread_all, TAKEN),
    ACCESS(MPI_File_write_all, MPI_File_iwrite_all, GIVEN),
    ACCESS(MPI_File_read_at_all, MPI_File_iread_at_all, 0, TAKEN),
    ACCESS(MPI_File_write_at_all, MPI_File_iwrite_at_all, 0, GIVEN),
    row{"MPI_File_read_ordered", need::file, end::fails,
        [](surroundings &at) { return MPI_File_read_ordered(at.file, TAKEN, MPI_STATUS_IGNORE); }},
    row{"MPI_File_write_ordered", need::file, end::fails,
        [](surroundings &at) { return MPI_File_write_ordered(at.file, GIVEN, MPI_STATUS_IGNORE); }},
    SPLIT(MPI_File_read_all, TAKEN),
    SPLIT(MPI_File_read_at_all, 0, TAKEN),
    SPLIT(MPI_File_read_ordered, TAKEN),
    SPLIT(MPI_File_write_all, TAKEN),
    SPLIT(MPI_File_write_at_all, 0, TAKEN),
    SPLIT(MPI_File_write_ordered, TAKEN),
    ALONE(MPI_File_write_at, 0, GIVEN),
    ALONE(MPI_File_read_at, 0, TAKEN),
    ALONE(MPI_File_write, GIVEN),
    ALONE(MPI_File_read, TAKEN),
    // The shared pointer lives with rank 0, which is alive.
    ALONE(MPI_File_write_shared, GIVEN),
    ALONE(MPI_File_read_shared, TAKEN),
    STARTED(MPI_File_iwrite_at, 0, GIVEN),
    STARTED(MPI_File_iread_at, 0, TAKEN),
    STARTED(MPI_File_iwrite, GIVEN),
    STARTED(MPI_File_iread, TAKEN),
    STARTED(MPI_File_iwrite_shared, GIVEN),
    STARTED(MPI_File_iread_shared, TAKEN),
};

} // namespace

std::span<const row> file_calls() {
    return rows;
}

} // namespace recovery
