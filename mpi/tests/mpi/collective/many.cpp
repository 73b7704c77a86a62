// SPDX-License-Identifier: Apache-2.0
// Many processes on few cores: what a rank does for a collective grows with the logarithm of their number at
// most. How often it sleeps is counted where the ranks come one after the other, as they do when a job
// starts: if each that comes woke those that wait, that would be half as often as there are ranks.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <vector>

#include "check.hpp"

namespace {

long sleeps() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw;
}

/// Sleeps of all ranks in `call` where each comes a little later than the one before.
template <class Call> long sleeps_in(const check::job &job, Call call) {
    constexpr unsigned apart = 1000; // microseconds
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    usleep(static_cast<unsigned>(job.rank) * apart);
    const long before = sleeps();
    call();
    const long mine = sleeps() - before;
    long all = 0;
    CHECK_MPI(MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD));
    return all;
}

void count_sleeps(const check::job &job) {
    // A rank sleeps until the others have come, and some once for each of a few that they wait for.
    const long most = 6L * job.size;
    const long in_barrier = sleeps_in(job, [] { CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); });
    CHECK(in_barrier <= most);
    const long in_allreduce = sleeps_in(job, [&job] {
        const long one = 1;
        long sum = 0;
        CHECK_MPI(MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, job.size);
    });
    CHECK(in_allreduce <= most);
}

/// Reductions of several lengths to all, blocking or not, with and without a buffer of one's own.
void reduce_to_all(const check::job &job, long round) {
    for (const int count : {1, 31, 32, 128, 129}) {
        std::vector<long> mine(static_cast<std::size_t>(count)), sum(mine.size());
        for (int i = 0; i < count; ++i) {
            mine[static_cast<std::size_t>(i)] = round + i + job.rank;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        if (round % 3 == 0) {
            sum = mine;
            CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sum.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        } else if (round % 3 == 1) {
            CHECK_MPI(
                MPI_Iallreduce(mine.data(), sum.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_MPI(MPI_Allreduce(mine.data(), sum.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        }
        for (int i = 0; i < count; ++i) {
            CHECK_EQ(sum[static_cast<std::size_t>(i)],
                     job.size * (round + i) + job.size * (job.size - 1L) / 2);
        }
    }
}

/// Others between them, in which not all wait for all.
void others_between(const check::job &job, int round) {
    const int root = round % job.size;
    for (int i = 0; i <= round; ++i) {
        long data = job.rank == root ? 7L * i : -1;
        CHECK_MPI(MPI_Bcast(&data, 1, MPI_LONG, root, MPI_COMM_WORLD));
        CHECK_EQ(data, 7L * i);
    }
    const long mine = job.rank + round;
    long before = 0, sum = 0;
    CHECK_MPI(MPI_Scan(&mine, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(before, (job.rank + 1L) * round + job.rank * (job.rank + 1L) / 2);
    CHECK_MPI(MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD));
    if (job.rank == root) {
        CHECK_EQ(sum, static_cast<long>(job.size) * round + job.size * (job.size - 1L) / 2);
    }
    std::vector<long> all(static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(&mine, 1, MPI_LONG, all.data(), 1, MPI_LONG, MPI_COMM_WORLD));
    CHECK_EQ(all.back(), job.size - 1L + round);
    std::array<long, 40> block{};
    block.fill(mine);
    std::vector<long> scattered(block.size() * all.size());
    CHECK_MPI(MPI_Gather(block.data(), 40, MPI_LONG, scattered.data(), 40, MPI_LONG, root, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Scatter(scattered.data(), 40, MPI_LONG, block.data(), 40, MPI_LONG, root, MPI_COMM_WORLD));
    CHECK_EQ(block[39], mine);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    count_sleeps(job);
    for (int round = 0; round < 12; ++round) {
        reduce_to_all(job, round);
        others_between(job, round);
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}
