// SPDX-License-Identifier: Apache-2.0
// The shared file pointer: every rank gets places that no other one gets, ordered calls get them in the order
// of ranks, and files that are only a sequence have no other way. Also split and non-blocking calls with it.
#include "file.hpp"
#include "payload.hpp"

#include <algorithm>
#include <array>

namespace {

constexpr int each = 25; ///< accesses of a rank

/// All ints of the file.
std::vector<int> contents(MPI_File file) {
    MPI_Offset size = 0;
    CHECK_MPI(MPI_File_get_size(file, &size));
    std::vector<int> found(static_cast<std::size_t>(size) / sizeof(int));
    CHECK_MPI(MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(found.size()), MPI_INT,
                                   MPI_STATUS_IGNORE));
    return found;
}

void everybody_gets_places(const check::job &job) {
    const scratch_file file{"shared"};
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    MPI_Request requests[each];
    std::array<int, each> own{};
    for (int i = 0; i < each; ++i) {
        own[static_cast<std::size_t>(i)] = job.rank * each + i;
        int *const from = &own[static_cast<std::size_t>(i)];
        requests[i] = MPI_REQUEST_NULL;
        if (i % 3 == 0)
            CHECK_MPI(MPI_File_iwrite_shared(file, from, 1, MPI_INT, &requests[i]));
        else
            CHECK_MPI(MPI_File_write_shared(file, from, 1, MPI_INT, MPI_STATUS_IGNORE));
    }
    CHECK_MPI(MPI_Waitall(each, requests, MPI_STATUSES_IGNORE));
    meet();
    MPI_Offset end = -1;
    CHECK_MPI(MPI_File_get_position_shared(file, &end));
    CHECK_EQ(end, each * job.size);
    std::vector<int> found = contents(file);
    std::vector<int> last(static_cast<std::size_t>(job.size), -1);
    for (const int value : found) { // a rank's own come in its order
        int &before = last[static_cast<std::size_t>(value / each)];
        CHECK(value > before);
        before = value;
    }
    std::sort(found.begin(), found.end());
    CHECK_EQ(static_cast<int>(found.size()), each * job.size);
    for (int i = 0; i < each * job.size; ++i)
        CHECK_EQ(found[static_cast<std::size_t>(i)], i);

    // Reading, each value goes to one rank.
    CHECK_MPI(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    long sum = 0;
    for (int i = 0; i < each; ++i) {
        int value = -1;
        if (i % 2 == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_File_iread_shared(file, &value, 1, MPI_INT, &request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_MPI(MPI_File_read_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        }
        sum += value;
    }
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    const long all = each * job.size;
    CHECK_EQ(sum, all * (all - 1) / 2);
    CHECK_MPI(MPI_File_seek_shared(file, -1, MPI_SEEK_END));
    CHECK_MPI(MPI_File_get_position_shared(file, &end));
    CHECK_EQ(end, all - 1);
}

void order_of_ranks(const check::job &job) {
    const scratch_file file{"ordered"};
    CHECK_MPI(MPI_File_set_view(file, 12, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    std::vector<int> own(static_cast<std::size_t>(job.rank) + 1, job.rank);
    MPI_Status status;
    for (int round = 0; round < 6; ++round) {
        if (round % 2 == 0) {
            CHECK_MPI(MPI_File_write_ordered(file, own.data(), job.rank + 1, MPI_INT, &status));
        } else {
            CHECK_MPI(MPI_File_write_ordered_begin(file, own.data(), job.rank + 1, MPI_INT));
            CHECK_MPI(MPI_File_write_ordered_end(file, own.data(), &status));
        }
        CHECK_EQ(count_of(status, MPI_INT), job.rank + 1);
    }
    CHECK_MPI(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    for (int round = 0; round < 6; ++round) {
        std::fill(own.begin(), own.end(), -1);
        if (round % 2 == 0) {
            CHECK_MPI(MPI_File_read_ordered(file, own.data(), job.rank + 1, MPI_INT, &status));
        } else {
            CHECK_MPI(MPI_File_read_ordered_begin(file, own.data(), job.rank + 1, MPI_INT));
            CHECK_MPI(MPI_File_read_ordered_end(file, own.data(), &status));
        }
        CHECK_EQ(count_of(status, MPI_INT), job.rank + 1);
        for (const int value : own)
            CHECK_EQ(value, job.rank);
    }
}

void sequences(const check::job &job) {
    const std::string name = scratch_name("sequence");
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                            MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_OPERATION,
                MPI_File_write_at(file, 0, &job.rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_seek(file, 0, MPI_SEEK_SET));
    CHECK_ERROR(MPI_ERR_UNSUPPORTED_OPERATION,
                MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    char head = 'h';
    CHECK_MPI(MPI_File_write_ordered(file, &head, job.rank == 0 ? 1 : 0, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_write_ordered(file, &job.rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_close(&file));
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_ERR_ARG,
                MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    int found = -1;
    CHECK_MPI(MPI_File_read_at(file, 1 + MPI_Offset{4} * job.rank, &found, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(found, job.rank);
    CHECK_MPI(MPI_File_close(&file));
}

void splits(const check::job &) {
    const scratch_file file{"split"};
    int value = 1, other = 2;
    CHECK_ERROR(MPI_ERR_OTHER, MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_write_all_begin(file, &value, 1, MPI_INT));
    CHECK_ERROR(MPI_ERR_OTHER, MPI_File_read_all_begin(file, &other, 1, MPI_INT));
    CHECK_ERROR(MPI_ERR_OTHER, MPI_File_write_at_all_end(file, &value, MPI_STATUS_IGNORE));
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_File_write_all_end(file, &other, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE));
}

/// Several collective operations that do not block are under way, then one that does.
void many_at_once(const check::job &job) {
    const scratch_file file{"many"};
    constexpr int count = 8, length = 64;
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, MPI_Aint{4} * job.size, &resized));
    const own_type strided{resized};
    CHECK_MPI(MPI_File_set_view(file, MPI_Offset{4} * job.rank, MPI_INT, strided, "native", MPI_INFO_NULL));
    std::array<std::array<int, length>, count> out{}, in{};
    MPI_Request requests[count];
    for (int i = 0; i < count; ++i) {
        out[static_cast<std::size_t>(i)].fill(job.rank * count + i);
        if (i == count - 1) {
            CHECK_MPI(MPI_File_write_all(file, out[static_cast<std::size_t>(i)].data(), length, MPI_INT,
                                         MPI_STATUS_IGNORE));
            requests[i] = MPI_REQUEST_NULL;
        } else {
            CHECK_MPI(MPI_File_iwrite_all(file, out[static_cast<std::size_t>(i)].data(), length, MPI_INT,
                                          &requests[i]));
        }
    }
    CHECK_MPI(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i)
        CHECK_MPI(MPI_File_iread_at_all(file, MPI_Offset{length} * i, in[static_cast<std::size_t>(i)].data(),
                                        length, MPI_INT, &requests[i]));
    int done = 0;
    while (done == 0)
        CHECK_MPI(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE));
    CHECK(in == out);
    // Freed before they are complete: closing waits for them.
    CHECK_MPI(MPI_File_iwrite_at(file, 0, out[1].data(), length, MPI_INT, &requests[0]));
    CHECK_MPI(MPI_Request_free(&requests[0]));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    everybody_gets_places(job);
    order_of_ranks(job);
    sequences(job);
    splits(job);
    many_at_once(job);
}
