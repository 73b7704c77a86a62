// SPDX-License-Identifier: Apache-2.0
// Opening, closing and asking: modes, sizes, names, hints, groups, views, error handlers, and what goes
// wrong.
#include "file.hpp"

#include <array>
#include <cstring>

namespace {

int open_code(const std::string &name, int amode) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), amode, MPI_INFO_NULL, &file);
    if (code == MPI_SUCCESS)
        CHECK_MPI(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    return code;
}

void modes(const check::job &job) {
    const std::string name = scratch_name("modes");
    CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, open_code(name, MPI_MODE_RDONLY));
    CHECK_ERROR(MPI_ERR_AMODE, open_code(name, MPI_MODE_CREATE));
    CHECK_ERROR(MPI_ERR_AMODE, open_code(name, MPI_MODE_RDONLY | MPI_MODE_WRONLY));
    CHECK_ERROR(MPI_ERR_AMODE, open_code(name, MPI_MODE_RDONLY | MPI_MODE_CREATE));
    CHECK_ERROR(MPI_ERR_AMODE, open_code(name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_CREATE));
    CHECK_ERROR(MPI_ERR_AMODE, open_code(name, 1 << 20 | MPI_MODE_RDWR));
    if (job.size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME,
                    open_code(name, MPI_MODE_CREATE | (job.rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY)));
    CHECK_ERROR(MPI_ERR_BAD_FILE, open_code("/tmp", MPI_MODE_RDWR));
    CHECK_MPI(open_code("ufs:" + name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL));
    CHECK_ERROR(MPI_ERR_FILE_EXISTS, open_code(name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL));
    CHECK_MPI(open_code(name, MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN));
    meet();
    if (job.rank == 0) {
        CHECK_MPI(MPI_File_delete(name.c_str(), MPI_INFO_NULL));
        CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, MPI_File_delete(name.c_str(), MPI_INFO_NULL));
    }
    meet();
    CHECK_MPI(open_code(name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE));
    CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, open_code(name, MPI_MODE_RDONLY));
}

void access_rights(const check::job &job) {
    const std::string name = scratch_name("rights");
    char byte = 'x';
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_MPI(MPI_File_write_at(file, job.rank, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_ACCESS, MPI_File_read_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_close(&file));
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file));
    int amode = 0;
    CHECK_MPI(MPI_File_get_amode(file, &amode));
    CHECK_EQ(amode, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    byte = 0;
    CHECK_MPI(MPI_File_read_at_all(file, job.rank, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_EQ(byte, 'x');
    CHECK_ERROR(MPI_ERR_READ_ONLY, MPI_File_write(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_READ_ONLY, MPI_File_set_size(file, 3));
    CHECK_MPI(MPI_File_close(&file));
}

void sizes(const check::job &job) {
    const scratch_file file{"sizes"};
    MPI_Offset size = -1;
    CHECK_MPI(MPI_File_set_size(file, 1000));
    CHECK_MPI(MPI_File_get_size(file, &size));
    CHECK_EQ(size, 1000);
    CHECK_MPI(MPI_File_preallocate(file, 5000));
    CHECK_MPI(MPI_File_preallocate(file, 10)); // never shorter
    CHECK_MPI(MPI_File_get_size(file, &size));
    CHECK_EQ(size, 5000);
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_size(file, -1));
    if (job.size > 1)
        CHECK_ERROR(MPI_ERR_NOT_SAME, MPI_File_set_size(file, job.rank));
    CHECK_MPI(MPI_File_seek(file, -8, MPI_SEEK_END));
    MPI_Offset at = -1;
    CHECK_MPI(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 4992);
    std::array<char, 100> room{};
    MPI_Status status;
    CHECK_MPI(MPI_File_read(file, room.data(), 100, MPI_CHAR, &status));
    CHECK_EQ(count_of(status, MPI_CHAR), 8);
    CHECK_MPI(MPI_File_read(file, room.data(), 100, MPI_CHAR, &status));
    CHECK_EQ(count_of(status, MPI_CHAR), 0);
    CHECK_MPI(MPI_File_get_position(file, &at));
    CHECK_EQ(at, 5192); // as if all had been there
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_seek(file, -6000, MPI_SEEK_CUR));
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_seek(file, 0, 12345));
    CHECK_MPI(MPI_File_sync(file));
}

void appending(const check::job &job) {
    const std::string name = scratch_name("append");
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_MPI(MPI_File_set_size(file, 77));
    CHECK_MPI(MPI_File_close(&file));
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                            MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                            &file));
    MPI_Offset own = -1, shared = -1;
    CHECK_MPI(MPI_File_get_position(file, &own));
    CHECK_MPI(MPI_File_get_position_shared(file, &shared));
    CHECK_EQ(own, 77);
    CHECK_EQ(shared, 77);
    CHECK_MPI(MPI_File_close(&file));
    CHECK(job.size > 0);
}

void answers(const check::job &job) {
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    CHECK_MPI(
        MPI_Info_set(hints, "cb_buffer_size", job.rank == 0 ? "8192" : "16384")); // the first rank's counts
    CHECK_MPI(MPI_Info_set(hints, "cb_nodes", "many"));                           // means nothing
    CHECK_MPI(MPI_Info_set(hints, "unheard_of", "yes"));
    const scratch_file file{"answers", MPI_MODE_RDWR, hints};
    MPI_Info used = MPI_INFO_NULL;
    CHECK_MPI(MPI_File_get_info(file, &used));
    std::array<char, 64> value{};
    int length = 64, there = 0;
    CHECK_MPI(MPI_Info_get_string(used, "cb_buffer_size", &length, value.data(), &there));
    CHECK(there == 1 && std::strcmp(value.data(), "8192") == 0);
    CHECK_MPI(MPI_Info_get_string(used, "unheard_of", &length, value.data(), &there));
    CHECK_EQ(there, 0);
    CHECK_MPI(MPI_Info_free(&used));
    CHECK_MPI(MPI_Info_set(hints, "romio_cb_write", "enable"));
    CHECK_MPI(MPI_File_set_info(file, hints));
    CHECK_MPI(MPI_Info_free(&hints));
    CHECK_MPI(MPI_File_get_info(file, &used));
    length = 64;
    CHECK_MPI(MPI_Info_get_string(used, "romio_cb_write", &length, value.data(), &there));
    CHECK(there == 1 && std::strcmp(value.data(), "enable") == 0);
    CHECK_MPI(MPI_Info_free(&used));

    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    CHECK_MPI(MPI_File_get_group(file, &group));
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int comparison = MPI_UNEQUAL;
    CHECK_MPI(MPI_Group_compare(group, world, &comparison));
    CHECK_EQ(comparison, MPI_IDENT);
    CHECK_MPI(MPI_Group_free(&group));
    CHECK_MPI(MPI_Group_free(&world));
    CHECK(MPI_File_f2c(MPI_File_c2f(file)) == static_cast<MPI_File>(file));

    int atomic = -1;
    CHECK_MPI(MPI_File_get_atomicity(file, &atomic));
    CHECK_EQ(atomic, 0);
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    CHECK_MPI(MPI_File_get_atomicity(file, &atomic));
    CHECK_EQ(atomic, 1);
}

void views(const check::job &) {
    const scratch_file file{"view"};
    std::array<char, MPI_MAX_DATAREP_STRING> form{};
    MPI_Offset displacement = -1;
    MPI_Datatype element = MPI_DATATYPE_NULL, tile = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_File_get_view(file, &displacement, &element, &tile, form.data()));
    CHECK(displacement == 0 && element == MPI_BYTE && tile == MPI_BYTE &&
          std::strcmp(form.data(), "native") == 0);
    const own_type holed{vector_of(2, 3, 5, MPI_INT)}; // 0-2 and 5-7, then from 8 on
    CHECK_MPI(MPI_File_set_view(file, 100, MPI_INT, holed, "internal", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_get_view(file, &displacement, &element, &tile, form.data()));
    CHECK(displacement == 100 && element == MPI_INT && std::strcmp(form.data(), "internal") == 0);
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    CHECK_MPI(MPI_Type_get_envelope(tile, &integers, &addresses, &types, &combiner));
    CHECK_EQ(combiner, MPI_COMBINER_VECTOR);
    CHECK_MPI(MPI_Type_free(&tile));
    MPI_Offset byte = -1;
    const std::array<MPI_Offset, 8> expected{0, 1, 2, 5, 6, 7, 8, 9};
    for (int i = 0; i < 8; ++i) {
        CHECK_MPI(MPI_File_get_byte_offset(file, i, &byte));
        CHECK_EQ(byte, 100 + 4 * expected[static_cast<std::size_t>(i)]);
    }
    MPI_Aint extent = -1;
    CHECK_MPI(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK_EQ(extent, 8);
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_DATAREP,
                MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "made up", MPI_INFO_NULL));
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL));
    const int back[] = {4, 0};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_indexed_block(2, 1, back, MPI_INT, &made));
    const own_type decreasing{made};
    CHECK_ERROR(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, decreasing, "native", MPI_INFO_NULL));
    // Three elements, and the second one again: to be read only.
    const int lengths[] = {3, 1}, places[] = {0, 1};
    CHECK_MPI(MPI_Type_indexed(2, lengths, places, MPI_INT, &made));
    const own_type overlapping{made};
    CHECK_ERROR(MPI_ERR_IO, MPI_File_set_view(file, 0, MPI_INT, overlapping, "native", MPI_INFO_NULL));
    MPI_File reader = MPI_FILE_NULL;
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, file.name().c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &reader));
    CHECK_MPI(MPI_File_set_view(reader, 0, MPI_INT, overlapping, "native", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_close(&reader));
    char three[3] = {};
    CHECK_ERROR(MPI_ERR_TYPE, MPI_File_write(file, three, 3, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_read_at(file, -1, three, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_FILE, MPI_File_sync(MPI_FILE_NULL));
}

int heard = MPI_SUCCESS;
MPI_File heard_of = MPI_FILE_NULL;

void note_error(MPI_File *file, int *code, ...) {
    heard = *code;
    heard_of = *file;
}

void handlers(const check::job &) {
    MPI_Errhandler own = MPI_ERRHANDLER_NULL, found = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_File_create_errhandler(note_error, &own));
    const scratch_file file{"handlers"};
    CHECK_MPI(MPI_File_get_errhandler(file, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    CHECK_MPI(MPI_File_set_errhandler(file, own));
    CHECK_ERROR(MPI_ERR_ARG, MPI_File_seek(file, 0, -1));
    CHECK_EQ(check::error_class(heard), MPI_ERR_ARG);
    CHECK(heard_of == static_cast<MPI_File>(file));
    heard = MPI_SUCCESS;
    CHECK_MPI(MPI_File_call_errhandler(file, MPI_ERR_NO_SPACE));
    CHECK_EQ(heard, MPI_ERR_NO_SPACE);
    // Failing opens are about no file; new files get the handler that hears of them.
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, own));
    CHECK_ERROR(MPI_ERR_NO_SUCH_FILE, open_code(file.name() + ".none", MPI_MODE_RDONLY));
    CHECK_EQ(check::error_class(heard), MPI_ERR_NO_SUCH_FILE);
    CHECK(heard_of == MPI_FILE_NULL);
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Errhandler_free(&own));
}

void subgroups(const check::job &job) {
    MPI_Comm half = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank % 2, -job.rank, &half));
    const std::string name = scratch_name("half") + (job.rank % 2 == 0 ? "a" : "b");
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(MPI_File_open(half, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file));
    int rank = -1;
    CHECK_MPI(MPI_Comm_rank(half, &rank));
    CHECK_MPI(MPI_Comm_free(&half)); // the file has one of its own
    CHECK_MPI(MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    int found = -1;
    CHECK_MPI(MPI_File_read_at(file, MPI_Offset{4} * rank, &found, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(found, rank);
    CHECK_MPI(MPI_File_close(&file));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    modes(job);
    access_rights(job);
    sizes(job);
    appending(job);
    answers(job);
    views(job);
    handlers(job);
    subgroups(job);
}
