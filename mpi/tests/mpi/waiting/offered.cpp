// SPDX-License-Identifier: Apache-2.0
// Ranks that test in loops offer their core now and then, also fibers, which let each other run in between:
// other processes may need the core. The program stands between the library and the system's call, and
// counts.
#include "check.hpp"

#include <array>
#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<int> offers{0}, looking{0}; ///< while so many ranks test

/// Tests that find nothing, with a request and without.
int test_in_vain(void *) {
    constexpr int looks = 20000;
    MPI_Init(nullptr, nullptr);
    int rank = 0, size = 0, flag = 0, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request request;
    CHECK_MPI(MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request));
    ++looking;
    for (int look = 0; look < looks; ++look) {
        CHECK_MPI(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
    }
    --looking;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(value, (rank + 1) % size);
    MPI_Finalize();
    return 0;
}

} // namespace

extern "C" int sched_yield() noexcept {
    offers += looking > 0 ? 1 : 0;
    return static_cast<int>(syscall(SYS_sched_yield));
}

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    struct shape {
        int ranks, kind, workers;
    };
    constexpr std::array shapes{shape{2, MPIX_RANKS_THREADS, 0}, shape{1, MPIX_RANKS_FIBERS, 1},
                                shape{2, MPIX_RANKS_FIBERS, 1}, shape{6, MPIX_RANKS_FIBERS, 2}};
    for (const auto &[ranks, kind, workers] : shapes) {
        offers = 0;
        int status = -1;
        CHECK_MPI(MPIX_Run(ranks, kind, workers, test_in_vain, nullptr, &status));
        CHECK_EQ(status, 0);
        CHECK(offers > 0);
    }
}
