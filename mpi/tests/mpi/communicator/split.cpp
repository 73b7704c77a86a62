// SPDX-License-Identifier: Apache-2.0
// Communicators by colour and key, by type, and by group, against lists that every rank computes itself.
#include "verify.hpp"

#include <cstdlib>
#include <random>
#include <string_view>

namespace {

std::vector<int> everyone(int size) {
    std::vector<int> all(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        all[static_cast<std::size_t>(i)] = i;
    return all;
}

void random_splits(const check::job &job) {
    // The same sequence on all ranks: each knows what all others choose.
    std::mt19937 random{42};
    for (int round = 0; round < 60; ++round) {
        std::vector<int> colors(static_cast<std::size_t>(job.size));
        std::vector<int> keys(colors.size());
        for (std::size_t i = 0; i < colors.size(); ++i) {
            colors[i] = std::uniform_int_distribution{-1, 2}(random);
            keys[i] = std::uniform_int_distribution{-2, 2}(random);
        }
        const int color = colors[static_cast<std::size_t>(job.rank)];
        MPI_Comm part = MPI_COMM_WORLD;
        CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color,
                                 keys[static_cast<std::size_t>(job.rank)], &part));
        if (color < 0) {
            CHECK(part == MPI_COMM_NULL);
            continue;
        }
        std::vector<int> expected;
        for (int rank = 0; rank < job.size; ++rank)
            if (colors[static_cast<std::size_t>(rank)] == color)
                expected.push_back(rank);
        std::stable_sort(expected.begin(), expected.end(), [&](int left, int right) {
            return keys[static_cast<std::size_t>(left)] < keys[static_cast<std::size_t>(right)];
        });
        verify_intra(part, expected, job.rank);

        // A split of the part, reversed.
        MPI_Comm reversed = MPI_COMM_NULL;
        int rank = -1;
        CHECK_MPI(MPI_Comm_rank(part, &rank));
        CHECK_MPI(MPI_Comm_split(part, 5, -rank, &reversed));
        std::reverse(expected.begin(), expected.end());
        verify_intra(reversed, expected, job.rank);
        int result = 0;
        CHECK_MPI(MPI_Comm_compare(part, reversed, &result));
        CHECK_EQ(result, expected.size() == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
        CHECK_MPI(MPI_Comm_free(&part));
        CHECK(part == MPI_COMM_NULL);
        // The parent is gone, the child works.
        verify_ring(reversed, expected, job.rank);
        CHECK_MPI(MPI_Comm_disconnect(&reversed));
        CHECK(reversed == MPI_COMM_NULL);
    }
}

/// The ranks whose machine has the name of this one's.
std::vector<int> machine_of(const check::job &job) {
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    CHECK_MPI(MPI_Get_processor_name(own, &length));
    std::vector<char> names(sizeof own * static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(own, sizeof own, MPI_CHAR, names.data(), sizeof own, MPI_CHAR, MPI_COMM_WORLD));
    std::vector<int> here;
    for (int rank = 0; rank < job.size; ++rank) {
        if (std::string_view{names.data() + sizeof own * static_cast<std::size_t>(rank)} == own)
            here.push_back(rank);
    }
    return here;
}

/// The ranks on this one's node. With LISLE_NODES=-1 each process counts as a node of its own: the ranks that
/// live in this process; this one alone where packets are all that ranks exchange, as on modelled tiles.
std::vector<int> node_of(const check::job &job) {
    if (std::getenv("LISLE_FABRIC") != nullptr)
        return {job.rank};
    const char *const nodes = std::getenv("LISLE_NODES");
    if (nodes == nullptr || std::string_view{nodes} == "0")
        return machine_of(job);
    CHECK_EQ(std::string_view{nodes}, "-1");
    std::vector<int> here;
    for (int rank = 0; rank < job.size; ++rank) {
        int together = 0;
        CHECK_MPI(MPIX_Comm_shares_memory(MPI_COMM_WORLD, rank, &together));
        if (together != 0 || rank == job.rank)
            here.push_back(rank);
    }
    return here;
}

void by_type(const check::job &job) {
    const std::vector<int> node = node_of(job);
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part));
    verify_intra(part, node, job.rank);
    CHECK_MPI(MPI_Comm_free(&part));
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part));
    CHECK(part == MPI_COMM_NULL);
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_MPI(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, -job.rank, info, &part));
    std::vector<int> reversed = node;
    std::reverse(reversed.begin(), reversed.end());
    verify_intra(part, reversed, job.rank);
    CHECK_MPI(MPI_Comm_free(&part));
    CHECK_MPI(MPI_Info_set(info, "mpi_hw_resource_type", "no such resource"));
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part));
    CHECK(part == MPI_COMM_NULL);
    CHECK_MPI(MPI_Info_free(&info));
    CHECK_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part));
    if (part != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(&part));
}

/// Every subset of up to seven ranks, in reversed order.
void by_group(const check::job &job) {
    MPI_Group world = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (unsigned subset = 0; subset < 1U << static_cast<unsigned>(job.size); ++subset) {
        std::vector<int> members;
        for (int rank = job.size - 1; rank >= 0; --rank)
            if ((subset >> static_cast<unsigned>(rank) & 1U) != 0)
                members.push_back(rank);
        MPI_Group group = MPI_GROUP_NULL;
        CHECK_MPI(MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group));
        CHECK_EQ(group == MPI_GROUP_EMPTY, members.empty());
        const bool member = std::find(members.begin(), members.end(), job.rank) != members.end();
        MPI_Comm all_called = MPI_COMM_WORLD;
        CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, group, &all_called));
        CHECK_EQ(all_called != MPI_COMM_NULL, member);
        if (member) {
            MPI_Comm members_called = MPI_COMM_NULL;
            CHECK_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &members_called));
            verify_intra(all_called, members, job.rank);
            verify_intra(members_called, members, job.rank);
            int result = 0;
            CHECK_MPI(MPI_Comm_compare(all_called, members_called, &result));
            CHECK_EQ(result, MPI_CONGRUENT);
            CHECK_MPI(MPI_Comm_free(&members_called));
            CHECK_MPI(MPI_Comm_free(&all_called));
        }
        CHECK_MPI(MPI_Group_free(&group));
        CHECK(group == MPI_GROUP_NULL);
    }
    CHECK_MPI(MPI_Group_free(&world));
}

/// Disjoint groups in one call.
void several_groups(const check::job &job) {
    std::vector<int> members;
    for (int rank = job.rank % 2; rank < job.size; rank += 2)
        members.push_back(rank);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group));
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_create(MPI_COMM_WORLD, group, &part));
    verify_intra(part, members, job.rank);
    CHECK_MPI(MPI_Comm_free(&part));
    CHECK_MPI(MPI_Group_free(&group));
    CHECK_MPI(MPI_Group_free(&world));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    verify_intra(MPI_COMM_WORLD, everyone(job.size), job.rank);
    verify_intra(MPI_COMM_SELF, {job.rank}, job.rank);
    random_splits(job);
    by_type(job);
    by_group(job);
    several_groups(job);
    return 0;
}
