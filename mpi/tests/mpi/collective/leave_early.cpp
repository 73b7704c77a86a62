// SPDX-License-Identifier: Apache-2.0
// A communicator is made, used for one collective, and freed at once: ranks that need not wait for the others
// are gone before these have looked for what the members share.
#include "../check.hpp"

#include <array>
#include <vector>

namespace {

constexpr int rounds = 40;

/// Makes a communicator of all ranks, in one of several ways.
MPI_Comm make(int how, const check::job &job) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    switch (how) {
    case 0:
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &made));
        break;
    case 1:
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, -job.rank, &made));
        break;
    default:
        CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &all));
        CHECK_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, all, how, &made));
        CHECK_MPI(MPI_Group_free(&all));
    }
    return made;
}

struct data {
    int rank, size, count;
    std::vector<int> mine, all;
};

using collective = void (*)(data &, int root, MPI_Comm);

constexpr std::array<collective, 9> collectives{
    [](data &of, int, MPI_Comm comm) {
        CHECK_MPI(MPI_Scan(of.mine.data(), of.all.data(), of.count, MPI_INT, MPI_MAX, comm));
        CHECK_EQ(of.all[0], of.rank);
    },
    [](data &of, int, MPI_Comm comm) {
        CHECK_MPI(MPI_Exscan(of.mine.data(), of.all.data(), of.count, MPI_INT, MPI_MAX, comm));
        CHECK_EQ(of.all[0], of.rank - 1); // of the first rank: as it was
    },
    [](data &of, int root, MPI_Comm comm) {
        CHECK_MPI(MPI_Bcast(of.mine.data(), of.count, MPI_INT, root, comm));
        CHECK_EQ(of.mine[0], root);
    },
    [](data &of, int root, MPI_Comm comm) {
        CHECK_MPI(MPI_Reduce(of.mine.data(), of.all.data(), of.count, MPI_INT, MPI_MAX, root, comm));
        CHECK_EQ(of.all[0], of.rank == root ? of.size - 1 : -1);
    },
    [](data &of, int root, MPI_Comm comm) {
        CHECK_MPI(
            MPI_Gather(of.mine.data(), of.count, MPI_INT, of.all.data(), of.count, MPI_INT, root, comm));
        CHECK_EQ(of.all[of.all.size() - 1], of.rank == root ? of.size - 1 : -1);
    },
    [](data &of, int root, MPI_Comm comm) {
        std::fill(of.all.begin(), of.all.end(), of.rank);
        CHECK_MPI(
            MPI_Scatter(of.all.data(), of.count, MPI_INT, of.mine.data(), of.count, MPI_INT, root, comm));
        CHECK_EQ(of.mine[0], root);
    },
    [](data &of, int, MPI_Comm comm) {
        CHECK_MPI(MPI_Allgather(of.mine.data(), of.count, MPI_INT, of.all.data(), of.count, MPI_INT, comm));
        CHECK_EQ(of.all[of.all.size() - 1], of.size - 1);
    },
    [](data &, int, MPI_Comm comm) { CHECK_MPI(MPI_Barrier(comm)); },
    [](data &of, int, MPI_Comm comm) {
        MPI_Request scan = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Iscan(of.mine.data(), of.all.data(), of.count, MPI_INT, MPI_MAX, comm, &scan));
        CHECK_MPI(MPI_Wait(&scan, MPI_STATUS_IGNORE));
        CHECK_EQ(of.all[0], of.rank);
    },
};

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (const collective each : collectives)
        for (int round = 0; round < rounds; ++round) {
            MPI_Comm comm = make(round % 3, job);
            data of{.rank = -1, .size = job.size, .count = round % 2 == 0 ? 2 : 700, .mine = {}, .all = {}};
            CHECK_MPI(MPI_Comm_rank(comm, &of.rank));
            of.mine.assign(static_cast<std::size_t>(of.count), of.rank);
            of.all.assign(static_cast<std::size_t>(of.count) * static_cast<std::size_t>(job.size), -1);
            each(of, round % job.size, comm);
            CHECK_MPI(MPI_Comm_free(&comm));
        }
}
