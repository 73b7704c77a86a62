// SPDX-License-Identifier: Apache-2.0
// Communicators that some ranks of a communicator make by tag, MPI_Comm_create_group and
// MPI_Intercomm_create: a rank of the parent that is in no group may fail before and meanwhile; one that is
// in a group ends the call at all others of it. Many rounds in one job, since it is chance who notices what
// when.
#include "after_death.hpp"

#include <numeric>
#include <vector>

namespace {

MPI_Group group_of(const std::vector<int> &ranks) {
    MPI_Group world = MPI_GROUP_NULL, made = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &made));
    CHECK_MPI(MPI_Group_free(&world));
    return made;
}

/// The survivors meet in a communicator that they have made.
void use(MPI_Comm made, int members) {
    int sum = 0;
    const int one = 1;
    CHECK_MPI(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK_EQ(sum, members);
}

void create_group(const recovery::losing_job &job, int tag) {
    std::vector<int> ranks(static_cast<std::size_t>(job.alive));
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group group = group_of(ranks);
    MPI_Comm made = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made));
    use(made, job.alive);
    CHECK_MPI(MPI_Comm_free(&made));
    CHECK_MPI(MPI_Group_free(&group));
}

void create_intercomm(const recovery::losing_job &job, MPI_Comm half, int tag) {
    MPI_Comm between = MPI_COMM_NULL, whole = MPI_COMM_NULL;
    const bool lower = job.rank < job.alive / 2;
    CHECK_MPI(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? job.alive / 2 : 0, tag, &between));
    CHECK_MPI(MPI_Intercomm_merge(between, lower ? 0 : 1, &whole));
    use(whole, job.alive);
    CHECK_MPI(MPI_Comm_free(&whole));
    CHECK_MPI(MPI_Comm_free(&between));
}

/// A group with a lost rank: each survivor ends, all with an error once they know.
void create_with_lost(const recovery::losing_job &job, int tag, bool known) {
    std::vector<int> ranks(static_cast<std::size_t>(job.alive + 1));
    std::iota(ranks.begin(), ranks.end(), 0);
    ranks.back() = job.size - 1;
    MPI_Group group = group_of(ranks);
    MPI_Comm made = MPI_COMM_NULL;
    const int error = MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &made);
    if (known || error != MPI_SUCCESS) {
        CHECK_ERROR(MPIX_ERR_PROC_FAILED, error);
        CHECK(made == MPI_COMM_NULL);
    } else {
        CHECK_MPI(MPI_Comm_free(&made));
    }
    CHECK_MPI(MPI_Group_free(&group));
}

} // namespace

int main(int argc, char **argv) {
    const recovery::losing_job job{&argc, &argv};
    MPI_Comm half = MPI_COMM_NULL;
    const int color = job.doomed ? 2 : job.rank < job.alive / 2 ? 0 : 1;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, 0, &half));
    CHECK_MPI(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
    job.lose_doomed();
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
        create_group(job, 2 * round);
        create_intercomm(job, half, 2 * round + 1);
    }
    create_with_lost(job, 1000, false);
    job.await_death();
    create_with_lost(job, 1001, true);
    create_group(job, 1002);
    CHECK_MPI(MPI_Comm_free(&half));
    if (job.rank == 0)
        std::printf("the survivors go on\n");
}
