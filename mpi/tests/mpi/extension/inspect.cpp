// SPDX-License-Identifier: Apache-2.0
// MPIX_Recv_inspect: messages of unknown size are shown whole, posted before or after they come, blocking or
// not, taken by a matched probe; within a process synchronous ones where the sender has them.
#include "../check.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

struct seen {
    std::vector<unsigned char> copy;
    std::vector<unsigned char> room;
    const void *address = nullptr;
    int inspected = 0;
    int allocated = 0;
    int source = -1;
};

void inspect(const void *data, MPI_Count bytes, const MPI_Status *status, void *state) {
    auto &mine = *static_cast<seen *>(state);
    const auto *const begin = static_cast<const unsigned char *>(data);
    mine.copy.assign(begin, begin + bytes);
    mine.address = data;
    mine.source = status->MPI_SOURCE;
    ++mine.inspected;
}
void *allocate(MPI_Count bytes, const MPI_Status *, void *state) {
    auto &mine = *static_cast<seen *>(state);
    mine.room.resize(static_cast<std::size_t>(bytes) + 1);
    ++mine.allocated;
    return mine.room.data();
}

std::vector<unsigned char> message(std::size_t size, int from) {
    std::vector<unsigned char> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(from));
    return bytes;
}

void check_seen(const seen &got, std::size_t size, int from) {
    CHECK_EQ(got.inspected, 1);
    CHECK_EQ(got.source, from);
    CHECK(got.copy == message(size, from));
    CHECK(got.allocated <= 1);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    for (const std::size_t length : {0, 1, 40, 5000, 100'000, 2'000'000}) {
        const auto out = message(length, rank);
        const auto count = static_cast<int>(length);
        const auto own = reinterpret_cast<std::uintptr_t>(out.data());
        for (int way = 0; way < 4; ++way) {
            seen got;
            MPI_Request receiving = MPI_REQUEST_NULL;
            MPI_Request sending = MPI_REQUEST_NULL;
            MPI_Status status;
            if (way == 0) {
                CHECK_MPI(
                    MPIX_Irecv_inspect(&inspect, &allocate, &got, previous, 5, MPI_COMM_WORLD, &receiving));
                MPI_Barrier(MPI_COMM_WORLD);
            }
            CHECK_MPI(MPI_Issend(out.data(), count, MPI_BYTE, next, 5, MPI_COMM_WORLD, &sending));
            if (way == 0) {
                CHECK_MPI(MPI_Wait(&receiving, &status));
            } else if (way == 1) {
                CHECK_MPI(MPIX_Recv_inspect(&inspect, &allocate, &got, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                            MPI_COMM_WORLD, &status));
            } else if (way == 2) {
                MPI_Message taken = MPI_MESSAGE_NULL;
                CHECK_MPI(MPI_Mprobe(previous, 5, MPI_COMM_WORLD, &taken, &status));
                CHECK_MPI(MPIX_Mrecv_inspect(&inspect, &allocate, &got, &taken, &status));
                CHECK(taken == MPI_MESSAGE_NULL);
            } else { // an ordinary receive finds nothing strange
                got.room.resize(length + 1);
                CHECK_MPI(MPI_Recv(got.room.data(), count, MPI_BYTE, previous, 5, MPI_COMM_WORLD, &status));
                inspect(got.room.data(), count, &status, &got);
            }
            check_seen(got, length, previous);
            int bytes = -1;
            CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
            CHECK_EQ(bytes, count);
            CHECK_EQ(status.MPI_TAG, 5);
            CHECK_MPI(MPI_Wait(&sending, MPI_STATUS_IGNORE));
            // Within a process they are shown where they lie.
            std::uintptr_t theirs = 0;
            CHECK_MPI(MPI_Sendrecv(&own, 1, MPI_UINT64_T, next, 6, &theirs, 1, MPI_UINT64_T, previous, 6,
                                   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            int here = 0;
            CHECK_MPI(MPIX_Comm_shares_memory(MPI_COMM_WORLD, previous, &here));
            if (here != 0 && way != 3 && length != 0) {
                CHECK_EQ(reinterpret_cast<std::uintptr_t>(got.address), theirs);
                CHECK_EQ(got.allocated, 0);
            }
        }
    }
    seen nothing;
    CHECK_MPI(MPIX_Recv_inspect(&inspect, &allocate, &nothing, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
    CHECK_EQ(nothing.inspected, 0);
    // One that never comes can be cancelled.
    MPI_Request never = MPI_REQUEST_NULL;
    CHECK_MPI(MPIX_Irecv_inspect(&inspect, &allocate, &nothing, previous, 77, MPI_COMM_WORLD, &never));
    CHECK_MPI(MPI_Cancel(&never));
    MPI_Status ended;
    CHECK_MPI(MPI_Wait(&never, &ended));
    int cancelled = 0;
    CHECK_MPI(MPI_Test_cancelled(&ended, &cancelled));
    CHECK_EQ(cancelled, 1);
    CHECK_EQ(nothing.inspected, 0);
    MPI_Finalize();
}
