// SPDX-License-Identifier: Apache-2.0
// MPIX_Parallel: each chunk runs exactly once, on some rank; ranks of the process that wait run some; a
// task of every rank at once ends, too, and what helpers write is seen by the owner.
#include "../check.hpp"

#include "lisle/parallel.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

void busy(int microseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{microseconds};
    while (std::chrono::steady_clock::now() < end) {
    }
}

void each_once(int chunks) {
    std::vector<int> runs(static_cast<std::size_t>(chunks), 0);
    lisle::parallel_for(chunks, 1, [&runs](MPI_Count i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const int count : runs)
        CHECK_EQ(count, 1);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (const int chunks : {0, 1, 2, 100, 5000}) {
        each_once(chunks); // of all ranks at once
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        if (job.rank == 0)
            each_once(chunks); // while the others wait
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    std::vector<double> squares(10007, -1);
    lisle::parallel_for(10007, 100, [&squares](MPI_Count i) {
        squares[static_cast<std::size_t>(i)] = static_cast<double>(i) * static_cast<double>(i);
    });
    CHECK_EQ(squares.front(), 0.0);
    CHECK_EQ(squares.back(), 10006.0 * 10006.0);

    // Where other threads of the process wait, some of a long task is theirs. (Fibers of one worker take
    // turns, so there only ranks of other workers help.)
    const bool expect_help = argc > 1 && job.size > 1;
    if (job.rank == 0) {
        const auto me = std::this_thread::get_id();
        std::atomic<int> by_others{0};
        lisle::parallel_for(200, 1, [&](MPI_Count) {
            busy(1000);
            by_others += std::this_thread::get_id() != me ? 1 : 0;
        });
        if (expect_help)
            CHECK_EQ(by_others.load() > 0, true);
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Parallel(1, nullptr, nullptr));
    return 0;
}
