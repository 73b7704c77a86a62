// SPDX-License-Identifier: Apache-2.0
// Ranks die one after the other, in one of several ways, and the survivors agree at once: what the agreement
// says of failures is known to all to whom it returns, so the next one finds them acknowledged by all. Many
// deaths in one job, since it is chance who notices what when.
#include "after_death.hpp"

#include <array>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

/// The number of each rank's process, in the order of their first ranks.
std::vector<int> processes_of(const check::job &job) {
    MPI_Comm process = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &process));
    int number = 0, own = 0;
    CHECK_MPI(MPI_Comm_rank(process, &number));
    CHECK_MPI(MPI_Comm_free(&process));
    const int first = number == 0 ? 1 : 0;
    CHECK_MPI(MPI_Scan(&first, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    --own;
    std::vector<int> all(static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD));
    int all_have_it = 1;
    CHECK_MPI(MPIX_Comm_agree(MPI_COMM_WORLD, &all_have_it)); // before anybody ends
    return all;
}

constexpr std::array<std::string_view, 4> ways{"exit", "_exit", "kill", "exit without a code"};

[[noreturn]] void end(std::string_view how) {
    if (how == "exit")
        std::exit(3);
    if (how == "exit without a code")
        std::exit(0);
    if (how == "_exit")
        _exit(4);
    recovery::losing_job::die();
}

int failed_members() {
    MPI_Group failed = MPI_GROUP_NULL;
    int count = 0;
    CHECK_MPI(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
    CHECK_MPI(MPI_Group_size(failed, &count));
    CHECK_MPI(MPI_Group_free(&failed));
    return count;
}

/// A survivor's part of a round, after which so many ranks have failed in all.
void agree_on_loss(int gone) {
    int flag = 1;
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS) // the one that is to end may take its time
        error = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
    CHECK_EQ(failed_members(), gone);
    CHECK_MPI(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
    flag = 3;
    CHECK_MPI(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
    CHECK_EQ(flag, 3);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    const std::vector<int> process = processes_of(job);
    const auto self = static_cast<std::size_t>(job.rank);
    const bool is_last_of_process = self + 1 == process.size() || process[self + 1] != process[self];
    for (int doomed = process.back(); doomed > 0; --doomed) {
        const auto round = static_cast<std::size_t>(process.back() - doomed);
        if (process[self] == doomed && is_last_of_process)
            end(ways[round % ways.size()]); // the others of its process are lost with it
        int gone = 0;
        for (const int each : process)
            gone += each >= doomed ? 1 : 0;
        agree_on_loss(gone);
    }
    if (job.rank == 0)
        std::printf("the survivors go on\n");
}
