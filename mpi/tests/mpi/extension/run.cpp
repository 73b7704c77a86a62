// SPDX-License-Identifier: Apache-2.0
// lisle::run and MPIX_Run: jobs of threads and of fibers inside a program, also inside a rank of a job, one
// after the other and two at once; the caller's own world goes on as if nothing had been.
#include "../check.hpp"

#include "lisle/run.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace {

void ring_and_reduce(int expected_size) {
    int rank = -1;
    int size = -1;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_EQ(size, expected_size);
    std::vector<long> token(5000, rank);
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    CHECK_MPI(MPI_Sendrecv_replace(token.data(), 5000, MPI_LONG, next, 3, before, 3, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE));
    CHECK_EQ(token.front(), before);
    CHECK_EQ(token.back(), before);
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size * (size - 1) / 2);
    MPI_Comm half = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    CHECK_MPI(MPI_Barrier(half));
    CHECK_MPI(MPI_Comm_free(&half));
}

void sum_of_many(int size) {
    long rank = -1;
    long sum = 0;
    int number = -1;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &number));
    rank = number;
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, long{size} * (size - 1) / 2);
}

int status_of_rank(void *) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return rank == 2 ? 7 : 0;
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (argc > 1) { // many
        lisle::run(10000, [] { sum_of_many(10000); }, {.kind = lisle::rank_kind::fiber});
        return 0;
    }
    for (const int ranks : {1, 2, 3, 8}) {
        lisle::run(ranks, [ranks] { ring_and_reduce(ranks); });
        lisle::run(ranks, [ranks] { ring_and_reduce(ranks); }, {.kind = lisle::rank_kind::fiber});
    }
    lisle::run(100, [] { ring_and_reduce(100); }, {.kind = lisle::rank_kind::fiber, .workers = 3});

    // Two at once, made by threads of this rank.
    std::atomic<int> calls{0};
    std::thread other{[&calls] {
        lisle::run(4, [&calls] {
            ring_and_reduce(4);
            ++calls;
        });
    }};
    lisle::run(5,
               [&calls] {
                   ring_and_reduce(5);
                   ++calls;
               },
               {.kind = lisle::rank_kind::fiber, .workers = 1});
    other.join();
    CHECK_EQ(calls.load(), 9);

    for (const int kind : {MPIX_RANKS_THREADS, MPIX_RANKS_FIBERS}) {
        int status = -1;
        CHECK_MPI(MPIX_Run(4, kind, 0, status_of_rank, nullptr, &status));
        CHECK_EQ(status, 7);
        CHECK_ERROR(MPI_ERR_ARG, MPIX_Run(0, kind, 0, status_of_rank, nullptr, &status));
        CHECK_ERROR(MPI_ERR_ARG, MPIX_Run(1, kind, 0, nullptr, nullptr, &status));
        CHECK_ERROR(MPI_ERR_ARG, MPIX_Run(1, kind, -1, status_of_rank, nullptr, &status));
    }
    int status = -1;
    CHECK_ERROR(MPI_ERR_ARG, MPIX_Run(1, 3, 0, status_of_rank, nullptr, &status));

    // This rank's own world.
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&job.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, job.size * (job.size - 1) / 2);
    return 0;
}
