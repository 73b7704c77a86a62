// SPDX-License-Identifier: Apache-2.0
// Data representations: external32 byte by byte, and one of the program's own [MPI-5.0 14.5].
#include "file.hpp"

#include <array>
#include <cstring>

namespace {

std::vector<unsigned char> bytes_of(MPI_File file) {
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    MPI_Offset size = 0;
    CHECK_MPI(MPI_File_get_size(file, &size));
    std::vector<unsigned char> found(static_cast<std::size_t>(size));
    CHECK_MPI(MPI_File_read_at(file, 0, found.data(), static_cast<int>(size), MPI_BYTE, MPI_STATUS_IGNORE));
    return found;
}

/// Ranks write every size-th number; all have fewer bytes in the file than in memory.
void external(const check::job &job, bool together) {
    const scratch_file file{"external"};
    MPI_Aint extent = 0;
    MPI_Datatype every = MPI_DATATYPE_NULL, tile = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_get_type_extent(file, MPI_LONG, &extent));
    CHECK_EQ(extent, 4);
    // The vector counts in elements, so its gaps are those of the file; the bounds are bytes, taken as they
    // are.
    CHECK_MPI(MPI_Type_vector(2, 1, 2 * job.size, MPI_LONG, &every));
    CHECK_MPI(MPI_Type_create_resized(every, 0, MPI_Aint{4} * 4 * job.size, &tile));
    CHECK_MPI(MPI_Type_free(&every));
    const own_type shown{tile};
    CHECK_MPI(
        MPI_File_set_view(file, MPI_Offset{4} * job.rank, MPI_LONG, shown, "external32", MPI_INFO_NULL));
    std::array<long, 6> own{}, found{};
    for (long i = 0; i < 6; ++i)
        own[static_cast<std::size_t>(i)] = -(job.rank * 256 + i);
    MPI_Status status;
    if (together)
        CHECK_MPI(MPI_File_write_at_all(file, 0, own.data(), 6, MPI_LONG, &status));
    else
        CHECK_MPI(MPI_File_write_at(file, 0, own.data(), 6, MPI_LONG, &status));
    CHECK_EQ(count_of(status, MPI_LONG), 6);
    meet();
    MPI_Request request = MPI_REQUEST_NULL;
    if (together)
        CHECK_MPI(MPI_File_iread_at_all(file, 0, found.data(), 6, MPI_LONG, &request));
    else
        CHECK_MPI(MPI_File_iread_at(file, 0, found.data(), 6, MPI_LONG, &request));
    CHECK_MPI(MPI_Wait(&request, &status));
    CHECK_EQ(count_of(status, MPI_LONG), 6);
    CHECK(found == own);
    // Beyond the end: element 5 is the last one, of the highest rank.
    CHECK_MPI(MPI_File_read_at(file, 4, found.data(), 6, MPI_LONG, &status));
    CHECK_EQ(count_of(status, MPI_LONG), 2);
    CHECK(found[0] == own[4] && found[1] == own[5] && found[2] == own[2]);
    long too_large = 1L << 40;
    CHECK_ERROR(MPI_ERR_CONVERSION, MPI_File_write_at(file, 0, &too_large, 1, MPI_LONG, MPI_STATUS_IGNORE));
    meet();

    const std::vector<unsigned char> bytes = bytes_of(file);
    for (long i = 0; i < 6; ++i) {
        const auto value = static_cast<std::uint32_t>(own[static_cast<std::size_t>(i)]);
        const auto at = static_cast<std::size_t>(4 * (job.rank + 2 * job.size * i));
        for (std::size_t byte = 0; byte < 4; ++byte)
            CHECK_EQ(static_cast<unsigned>(bytes[at + byte]), value >> (24 - 8 * byte) & 0xff);
    }
    meet();
}

// A representation of the program's: an int takes 8 bytes, in which it stands twice, xor-ed with the state.
std::uint32_t mask = 0;
int conversions = 0;

int extent_of(MPI_Datatype type, MPI_Aint *extent, void *) {
    int size = 0;
    MPI_Type_size(type, &size);
    *extent = 2 * MPI_Aint{size};
    return MPI_SUCCESS;
}

template <class Count>
int write_twice(void *user, MPI_Datatype, Count count, void *file, MPI_Offset position, void *state) {
    ++conversions;
    const auto *const from = static_cast<const std::uint32_t *>(user) + position;
    auto *const to = static_cast<std::uint32_t *>(file);
    for (Count i = 0; i < count; ++i)
        to[2 * i] = to[2 * i + 1] = from[i] ^ *static_cast<std::uint32_t *>(state);
    return MPI_SUCCESS;
}
template <class Count>
int read_twice(void *user, MPI_Datatype, Count count, void *file, MPI_Offset position, void *state) {
    ++conversions;
    auto *const to = static_cast<std::uint32_t *>(user) + position;
    const auto *const from = static_cast<const std::uint32_t *>(file);
    for (Count i = 0; i < count; ++i) {
        if (from[2 * i] != from[2 * i + 1])
            return MPI_ERR_OTHER;
        to[i] = from[2 * i] ^ *static_cast<std::uint32_t *>(state);
    }
    return MPI_SUCCESS;
}

void registered(const check::job &job, const char *name) {
    const scratch_file file{"own"};
    CHECK_MPI(MPI_File_set_view(file, MPI_Offset{80} * job.rank, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    std::array<char, MPI_MAX_DATAREP_STRING> form{};
    MPI_Offset at = -1;
    MPI_Datatype element = MPI_DATATYPE_NULL, tile = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_File_get_view(file, &at, &element, &tile, form.data()));
    CHECK(std::strcmp(form.data(), name) == 0);
    CHECK_MPI(MPI_File_get_byte_offset(file, 3, &at));
    CHECK_EQ(at, 80 * job.rank + 24);
    std::array<int, 10> own{}, found{};
    for (int i = 0; i < 10; ++i)
        own[static_cast<std::size_t>(i)] = job.rank * 100 + i;
    mask = 0xabcd0000u;
    conversions = 0;
    MPI_Status status;
    CHECK_MPI(MPI_File_write_all(file, own.data(), 10, MPI_INT, &status));
    CHECK_EQ(count_of(status, MPI_INT), 10);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_File_iread_at(file, 0, found.data(), 10, MPI_INT, &request));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(found == own);
    CHECK(conversions >= 2);
    meet();
    const std::vector<unsigned char> bytes = bytes_of(file);
    std::uint32_t stored[2];
    std::memcpy(stored, bytes.data() + 80 * job.rank + 8, sizeof stored);
    CHECK_EQ(stored[0], static_cast<std::uint32_t>(own[1]) ^ mask);
    CHECK_EQ(stored[1], stored[0]);
    // What cannot be read back is an error.
    if (job.rank == 0)
        CHECK_MPI(MPI_File_write_at(file, 0, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL));
    CHECK_ERROR(MPI_ERR_CONVERSION, MPI_File_read_at(file, 0, found.data(), 1, MPI_INT, MPI_STATUS_IGNORE));
}

void registration(const check::job &job) {
    CHECK_MPI(MPI_Register_datarep("twice", read_twice<int>, write_twice<int>, extent_of, &mask));
    CHECK_MPI(
        MPI_Register_datarep_c("twice_c", read_twice<MPI_Count>, write_twice<MPI_Count>, extent_of, &mask));
    CHECK_ERROR(MPI_ERR_DUP_DATAREP,
                MPI_Register_datarep("twice", read_twice<int>, write_twice<int>, extent_of, &mask));
    CHECK_ERROR(MPI_ERR_DUP_DATAREP,
                MPI_Register_datarep("native", read_twice<int>, write_twice<int>, extent_of, &mask));
    registered(job, "twice");
    registered(job, "twice_c");
}

int extent_of_native(MPI_Datatype type, MPI_Aint *extent, void *) {
    MPI_Aint lower = 0;
    return MPI_Type_get_extent(type, &lower, extent);
}

/// Without functions that convert, data are in the file as they are in memory.
void unconverted(const check::job &job) {
    CHECK_MPI(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of_native,
                                   nullptr));
    CHECK_MPI(MPI_Register_datarep_c("wide", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, extent_of,
                                     nullptr));
    CHECK_ERROR(MPI_ERR_ARG, MPI_Register_datarep("none", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
                                                  nullptr, nullptr));
    const scratch_file file{"plain"};
    const int own[] = {job.rank, -job.rank, 7};
    int found[3] = {};
    CHECK_MPI(MPI_File_set_view(file, MPI_Offset{12} * job.rank, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_write_at_all(file, 0, own, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_read_at_all(file, 0, found, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(std::memcmp(own, found, sizeof own) == 0);
    meet();
    CHECK(std::memcmp(own, bytes_of(file).data() + 12 * job.rank, sizeof own) == 0);
    meet();
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "wide", MPI_INFO_NULL));
    CHECK_ERROR(MPI_ERR_CONVERSION, MPI_File_write_at(file, 0, own, 3, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_CONVERSION, MPI_File_read_at(file, 0, found, 1, MPI_INT, MPI_STATUS_IGNORE));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    external(job, false);
    external(job, true);
    registration(job);
    unconverted(job);
}
