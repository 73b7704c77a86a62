// SPDX-License-Identifier: Apache-2.0
// What the ranks of an inter-communicator say of their roots.
#include "collective/selection/comparison.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi.h"

using namespace lisle;
using namespace lisle::collective;

namespace {

call_signature call_of(const char *name, std::int64_t root) {
    call_signature made{.call = {}};
    std::strncpy(made.call, name, sizeof made.call - 1);
    made.root = root;
    return made;
}

/// What a group says of a broadcast whose ranks name these roots, and of what rank 0 of the other group says.
std::string complaint(const std::vector<std::int64_t> &roots, const call_signature &other) {
    comparison compared{true};
    for (int rank = 0; const std::int64_t root : roots) {
        if (const auto found = compared.add(rank, call_of("Bcast", root))) {
            return found->what();
        }
        ++rank;
    }
    const auto found = compared.add_other_group(other);
    return found ? found->what() : "";
}
std::string complaint(const std::vector<std::int64_t> &roots, std::int64_t other) {
    return complaint(roots, call_of("Bcast", other));
}

bool says(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST(comparison, takes_one_root_whom_the_other_group_names) {
    EXPECT_EQ(complaint({MPI_ROOT}, 0), "");
    EXPECT_EQ(complaint({MPI_PROC_NULL, MPI_ROOT, MPI_PROC_NULL}, 1), "");
    EXPECT_EQ(complaint({1, 1, 1}, MPI_PROC_NULL), "");
    EXPECT_EQ(complaint({0}, MPI_ROOT), "");
}

TEST(comparison, takes_calls_without_a_root) {
    EXPECT_EQ(complaint({call_signature::unsaid, call_signature::unsaid}, call_signature::unsaid), "");
}

TEST(comparison, names_groups_that_both_have_the_root_or_neither) {
    EXPECT_TRUE(says(complaint({MPI_ROOT}, MPI_PROC_NULL), "both groups are the root's"));
    EXPECT_TRUE(says(complaint({2, 2}, 0), "neither group is the root's"));
}

TEST(comparison, names_ranks_of_a_group_that_disagree) {
    EXPECT_TRUE(says(complaint({MPI_ROOT, MPI_PROC_NULL, MPI_ROOT}, 0),
                     "rank 2 and rank 0 of one group name MPI_ROOT"));
    EXPECT_TRUE(
        says(complaint({MPI_PROC_NULL, 1}, 0), "rank 1 names the root 1, rank 0 names MPI_PROC_NULL"));
    EXPECT_TRUE(says(complaint({1, 0}, MPI_ROOT), "rank 1 names the root 0, rank 0 names the root 1"));
}

TEST(comparison, names_a_root_that_is_missing_or_another_one) {
    EXPECT_TRUE(says(complaint({MPI_PROC_NULL, MPI_PROC_NULL}, 0), "and none MPI_ROOT"));
    EXPECT_TRUE(says(complaint({MPI_PROC_NULL, MPI_ROOT}, 0),
                     "rank 1 names MPI_ROOT, and rank 0 of the other group the root 0"));
}

TEST(comparison, names_groups_that_make_other_calls) {
    EXPECT_TRUE(says(complaint({MPI_ROOT}, call_of("Barrier", call_signature::unsaid)),
                     "rank 0 calls MPI_Bcast, rank 0 of the other group MPI_Barrier"));
}
