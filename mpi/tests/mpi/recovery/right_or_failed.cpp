// SPDX-License-Identifier: Apache-2.0
// Collectives again and again while a process dies: each that returns success has given the right data, at
// every rank that it returns to, whichever way the data went.
#include "after_death.hpp"

#include <array>
#include <functional>
#include <vector>

namespace {

constexpr int count = 5;

struct collective {
    const recovery::losing_job &job;
    int round = 0;
    std::vector<int> give, take;

    [[nodiscard]] int value_of(int rank) const { return 1000 * round + rank; }
    void fill() {
        const auto size = static_cast<std::size_t>(count * job.size);
        give.assign(size, value_of(job.rank));
        take.assign(size, -1);
    }
    [[nodiscard]] int sum() const {
        int all = 0;
        for (int rank = 0; rank < job.size; ++rank)
            all += value_of(rank);
        return all;
    }
    /// The data of rank `from` begin here.
    [[nodiscard]] int taken(int from) const { return take[static_cast<std::size_t>(count * from)]; }
    void check_each() const {
        for (int rank = 0; rank < job.size; ++rank)
            CHECK_EQ(taken(rank), value_of(rank));
    }
};

using call = std::function<int(collective &, MPI_Comm)>;

const std::array calls{
    call{[](collective &of, MPI_Comm comm) {
        const int error = MPI_Allreduce(of.give.data(), of.take.data(), count, MPI_INT, MPI_SUM, comm);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.taken(0), of.sum());
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_MPI(MPI_Iallreduce(of.give.data(), of.take.data(), count, MPI_INT, MPI_SUM, comm, &request));
        const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.taken(0), of.sum());
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int root = of.round % of.job.size;
        const int error = MPI_Bcast(of.give.data(), count, MPI_INT, root, comm);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.give[0], of.value_of(root));
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int error = MPI_Allgather(of.give.data(), count, MPI_INT, of.take.data(), count, MPI_INT, comm);
        if (error == MPI_SUCCESS)
            of.check_each();
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int error = MPI_Alltoall(of.give.data(), count, MPI_INT, of.take.data(), count, MPI_INT, comm);
        if (error == MPI_SUCCESS)
            of.check_each();
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int root = of.round % of.job.size;
        const int error =
            MPI_Gather(of.give.data(), count, MPI_INT, of.take.data(), count, MPI_INT, root, comm);
        if (error == MPI_SUCCESS && of.job.rank == root)
            of.check_each();
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int root = of.round % of.job.size;
        const int error =
            MPI_Scatter(of.give.data(), count, MPI_INT, of.take.data(), count, MPI_INT, root, comm);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.taken(0), of.value_of(root));
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int root = of.round % of.job.size;
        const int error = MPI_Reduce(of.give.data(), of.take.data(), count, MPI_INT, MPI_SUM, root, comm);
        if (error == MPI_SUCCESS && of.job.rank == root)
            CHECK_EQ(of.taken(0), of.sum());
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int error =
            MPI_Reduce_scatter_block(of.give.data(), of.take.data(), count, MPI_INT, MPI_SUM, comm);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.taken(0), of.sum());
        return error;
    }},
    call{[](collective &of, MPI_Comm comm) {
        const int error = MPI_Scan(of.give.data(), of.take.data(), count, MPI_INT, MPI_MAX, comm);
        if (error == MPI_SUCCESS)
            CHECK_EQ(of.taken(0), of.value_of(of.job.rank));
        return error;
    }},
    call{[](collective &, MPI_Comm comm) { return MPI_Barrier(comm); }},
};

} // namespace

int main(int argc, char **argv) {
    const recovery::losing_job job{&argc, &argv};
    constexpr std::size_t rounds_before = 3;
    collective of{job, 0, {}, {}};
    std::array<MPI_Comm, calls.size()> comms{}; // after a failure each is of no use
    for (MPI_Comm &each : comms)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &each));
    // The doomed ranks leave after so many calls; all others go on until each of their calls has failed.
    const std::size_t place = (argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 0) % calls.size();
    const std::size_t calls_before = rounds_before * calls.size() + place;
    std::array<bool, calls.size()> failed{};
    std::size_t made = 0;
    bool any_left = true;
    for (; any_left; ++of.round) {
        any_left = false;
        for (std::size_t which = 0; which < calls.size(); ++which) {
            if (failed[which])
                continue;
            any_left = true;
            if (job.doomed && made++ == calls_before)
                recovery::losing_job::die();
            of.fill();
            const int error = calls[which](of, comms[which]);
            if (error != MPI_SUCCESS) {
                CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
                failed[which] = true;
            }
        }
    }
    for (MPI_Comm &each : comms)
        CHECK_MPI(MPI_Comm_free(&each));
    if (job.rank == 0)
        std::printf("the survivors go on\n");
}
