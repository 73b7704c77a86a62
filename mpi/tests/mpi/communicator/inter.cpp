// SPDX-License-Identifier: Apache-2.0
// Inter-communicators between every division of the world into two, and everything that is made of them.
#include "verify.hpp"

namespace {

struct side {
    std::vector<int> local;
    std::vector<int> remote;
    bool low; ///< this is the side of the world's first ranks
};

side side_of(const check::job &job, int first_high) {
    side mine{{}, {}, job.rank < first_high};
    for (int rank = 0; rank < job.size; ++rank)
        ((rank < first_high) == mine.low ? mine.local : mine.remote).push_back(rank);
    return mine;
}

std::vector<int> joined(const std::vector<int> &first, const std::vector<int> &second) {
    std::vector<int> all = first;
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

/// The leaders are the last ranks of both sides.
MPI_Comm make_inter(const side &mine, MPI_Comm half) {
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Intercomm_create(half, static_cast<int>(mine.local.size()) - 1, MPI_COMM_WORLD,
                                   mine.remote.back(), 11, &inter));
    return inter;
}

void merges(const check::job &job, const side &mine, MPI_Comm inter) {
    for (const int low_is_high : {0, 1}) {
        MPI_Comm merged = MPI_COMM_NULL;
        CHECK_MPI(MPI_Intercomm_merge(inter, mine.low ? low_is_high : 1 - low_is_high, &merged));
        const bool local_first = mine.low == (low_is_high == 0);
        verify_intra(merged, local_first ? joined(mine.local, mine.remote) : joined(mine.remote, mine.local),
                     job.rank);
        CHECK_MPI(MPI_Comm_free(&merged));
    }
    MPI_Comm merged = MPI_COMM_NULL;
    CHECK_MPI(MPI_Intercomm_merge(inter, 1, &merged));
    const std::vector<int> members = members_of(merged);
    CHECK(members == joined(mine.local, mine.remote) || members == joined(mine.remote, mine.local));
    verify_intra(merged, members, job.rank);
    CHECK_MPI(MPI_Comm_free(&merged));
}

void duplicates(const check::job &job, const side &mine, MPI_Comm inter) {
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(inter, &copy));
    verify_inter(copy, mine.local, mine.remote, job.rank);
    int result = 0;
    CHECK_MPI(MPI_Comm_compare(inter, copy, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_MPI(MPI_Comm_compare(inter, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_UNEQUAL);
    MPI_Request requests[3];
    MPI_Comm copies[3];
    for (int i = 0; i < 3; ++i)
        CHECK_MPI(MPI_Comm_idup(i == 1 ? copy : inter, &copies[i], &requests[i]));
    CHECK_MPI(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Comm_free(&copy));
    for (auto &other : copies) {
        verify_inter(other, mine.local, mine.remote, job.rank);
        CHECK_MPI(MPI_Comm_free(&other));
    }
}

/// By parity of the world's rank, in reversed order; some colours exist on one side only.
void splits(const check::job &job, const side &mine, MPI_Comm inter) {
    const auto with_parity = [&](const std::vector<int> &ranks) {
        std::vector<int> chosen;
        for (const int rank : ranks)
            if (rank % 2 == job.rank % 2)
                chosen.insert(chosen.begin(), rank);
        return chosen;
    };
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(inter, job.rank % 2, -job.rank, &part));
    const std::vector<int> remote = with_parity(mine.remote);
    CHECK_EQ(part == MPI_COMM_NULL, remote.empty());
    if (part != MPI_COMM_NULL) {
        verify_inter(part, with_parity(mine.local), remote, job.rank);
        CHECK_MPI(MPI_Comm_free(&part));
    }
    CHECK_MPI(MPI_Comm_split(inter, MPI_UNDEFINED, 0, &part));
    CHECK(part == MPI_COMM_NULL);
}

/// All but the first rank of each side; then with one side's group empty.
void creations(const check::job &job, const side &mine, MPI_Comm inter) {
    MPI_Group local = MPI_GROUP_NULL;
    MPI_Group chosen = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(inter, &local));
    const int first = 0;
    CHECK_MPI(MPI_Group_excl(local, 1, &first, &chosen));
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_create(inter, chosen, &part));
    const std::vector<int> expected(mine.local.begin() + 1, mine.local.end());
    const std::vector<int> expected_remote(mine.remote.begin() + 1, mine.remote.end());
    const bool member = job.rank != mine.local.front() && !expected_remote.empty();
    CHECK_EQ(part != MPI_COMM_NULL, member);
    if (member) {
        verify_inter(part, expected, expected_remote, job.rank);
        CHECK_MPI(MPI_Comm_free(&part));
    }
    CHECK_MPI(MPI_Comm_create(inter, mine.low ? MPI_GROUP_EMPTY : local, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_MPI(MPI_Group_free(&chosen));
    CHECK_MPI(MPI_Group_free(&local));
}

void errors(MPI_Comm half, MPI_Comm inter) {
    CHECK_MPI(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    MPI_Comm none = MPI_COMM_NULL;
    int number = 0;
    CHECK_ERROR(MPI_ERR_COMM, MPI_Intercomm_merge(half, 0, &none));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Comm_remote_size(half, &number));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 1, &none));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Intercomm_create(half, 99, MPI_COMM_WORLD, 0, 1, &none));
    // Only the leader notices this, but all hear of it.
    CHECK_ERROR(MPI_ERR_RANK, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 99, 1, &none));
    // A group that meets itself.
    CHECK_ERROR(MPI_ERR_COMM, MPI_Intercomm_create(half, 0, MPI_COMM_SELF, 0, 1, &none));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    for (int first_high = 1; first_high < job.size; ++first_high) {
        const side mine = side_of(job, first_high);
        MPI_Comm half = MPI_COMM_NULL;
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, mine.low ? 0 : 1, 0, &half));
        MPI_Comm inter = make_inter(mine, half);
        verify_inter(inter, mine.local, mine.remote, job.rank);
        merges(job, mine, inter);
        duplicates(job, mine, inter);
        splits(job, mine, inter);
        creations(job, mine, inter);
        errors(half, inter);
        CHECK_MPI(MPI_Comm_free(&half));
        verify_inter(inter, mine.local, mine.remote, job.rank);
        CHECK_MPI(MPI_Comm_free(&inter));
    }
    return 0;
}
