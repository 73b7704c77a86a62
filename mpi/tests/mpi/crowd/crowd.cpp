// SPDX-License-Identifier: Apache-2.0
// What many ranks on few cores have to get through: collectives of all, a ring of messages short and long, a
// receiver that everybody sends to, communicators of rows, and global variables that are each rank's own.
#include "../check.hpp"

#include <vector>

namespace {

int own_rank = -1; // private to each rank, whatever it is

void ring(const check::job &job, int count) {
    const int next = (job.rank + 1) % job.size;
    const int before = (job.rank + job.size - 1) % job.size;
    std::vector<int> out(static_cast<std::size_t>(count), job.rank);
    std::vector<int> in(static_cast<std::size_t>(count), -1);
    MPI_Request receive = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(in.data(), count, MPI_INT, before, 1, MPI_COMM_WORLD, &receive));
    CHECK_MPI(MPI_Send(out.data(), count, MPI_INT, next, 1, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK_EQ(in.front(), before);
    CHECK_EQ(in.back(), before);
}

void all_to_one(const check::job &job) {
    if (job.rank != 0) {
        for (int i = 0; i < 3; ++i)
            CHECK_MPI(MPI_Send(&job.rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD));
        return;
    }
    std::vector<int> next_tag(static_cast<std::size_t>(job.size), 0);
    for (int i = 0; i < 3 * (job.size - 1); ++i) {
        int from = -1;
        MPI_Status status;
        CHECK_MPI(MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_EQ(status.MPI_SOURCE, from);
        CHECK_EQ(status.MPI_TAG, next_tag[static_cast<std::size_t>(from)]++);
    }
}

void rows(const check::job &job) {
    constexpr int width = 8;
    MPI_Comm row = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank / width, job.rank, &row));
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&job.rank, &sum, 1, MPI_INT, MPI_SUM, row));
    const int first = job.rank / width * width;
    CHECK_EQ(sum, width * first + width * (width - 1) / 2);
    CHECK_MPI(MPI_Comm_free(&row));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    own_rank = job.rank;
    for (int round = 0; round < 20; ++round) {
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        long mine[3] = {job.rank, round, 1};
        long sums[3] = {-1, -1, -1};
        CHECK_MPI(MPI_Allreduce(mine, sums, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sums[0], long{job.size} * (job.size - 1) / 2);
        CHECK_EQ(sums[1], long{job.size} * round);
        CHECK_EQ(sums[2], job.size);
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, mine, 3, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
        CHECK_EQ(mine[0], job.size - 1);
    }
    ring(job, 1);
    ring(job, 20000);
    all_to_one(job);
    rows(job);
    MPI_Request barrier = MPI_REQUEST_NULL; // beside blocking ones
    CHECK_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &barrier));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
    CHECK_EQ(own_rank, job.rank);
    return 0;
}
