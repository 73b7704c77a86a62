// SPDX-License-Identifier: Apache-2.0
// A window for whose memory there is no room at one rank, each in turn, is made at none; the next one is.
#include "../check.hpp"

#include <cstdint>

namespace {

constexpr MPI_Aint too_much = INTPTR_MAX / 4; // more than there are addresses

void without_room_at(const check::job &job, int poor) {
    void *base = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    CHECK_ERROR(MPI_ERR_NO_MEM, MPI_Win_allocate(job.rank == poor ? too_much : 64, 1, MPI_INFO_NULL,
                                                 MPI_COMM_WORLD, &base, &win));
    CHECK(win == MPI_WIN_NULL);
    CHECK_MPI(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_MPI(MPI_Win_fence(0, win));
    const int next = (job.rank + 1) % job.size;
    CHECK_MPI(MPI_Put(&job.rank, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    CHECK_MPI(MPI_Win_fence(0, win));
    CHECK_EQ(*static_cast<int *>(base), (job.rank + job.size - 1) % job.size);
    CHECK_MPI(MPI_Win_free(&win));
}

void shared_without_room(const check::job &job, MPI_Comm node, int poor) {
    void *base = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    CHECK_ERROR(MPI_ERR_NO_MEM, MPI_Win_allocate_shared(job.rank == poor ? too_much : 64, 1, MPI_INFO_NULL,
                                                        node, &base, &win));
    CHECK(win == MPI_WIN_NULL);
    CHECK_MPI(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, node, &base, &win));
    CHECK_MPI(MPI_Win_free(&win));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Comm node = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    int members = 0;
    CHECK_MPI(MPI_Comm_size(node, &members));
    for (int poor = 0; poor < job.size; ++poor) {
        without_room_at(job, poor);
        if (members == job.size)
            shared_without_room(job, node, poor);
    }
    CHECK_MPI(MPI_Comm_free(&node));
}
