// SPDX-License-Identifier: Apache-2.0
#include "protocol/core/failure_table.hpp"

#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "mpi.h"

using namespace lisle::protocol;

namespace {

constexpr std::uint64_t base = 4 * contexts_in_a_row;
constexpr std::uint64_t point_to_point = base;
constexpr std::uint64_t common = base + first_common_context;
constexpr int any_source = -1;

/// One communicator, of ranks 0 to 2.
class failure_table_test : public testing::Test {
  protected:
    failure_table_test() { EXPECT_FALSE(table_.watch(base, {0, 1, 2})); }
    failure_table table_;
};

} // namespace

TEST_F(failure_table_test, knows_nothing_at_first) {
    EXPECT_FALSE(table_.any());
    EXPECT_EQ(table_.error_of(common, 1), MPI_SUCCESS);
}

TEST_F(failure_table_test, failure_ends_what_needs_the_peer) {
    table_.note_failure(1);
    table_.note_failure(1); // a fabric may tell it again
    EXPECT_EQ(table_.find(base)->failed, std::vector<int>{1});
    EXPECT_TRUE(table_.any());
    EXPECT_EQ(table_.error_of(point_to_point, 1), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(table_.error_of(point_to_point, 2), MPI_SUCCESS);
    EXPECT_EQ(table_.error_of(point_to_point, any_source), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(table_.error_of(common, 2), MPIX_ERR_PROC_FAILED);
}

TEST_F(failure_table_test, failure_of_another_communicators_member_ends_nothing_here) {
    table_.note_failure(7);
    EXPECT_EQ(table_.error_of(common, 1), MPI_SUCCESS);
    EXPECT_EQ(table_.error_of(point_to_point, any_source), MPI_SUCCESS);
}

TEST_F(failure_table_test, acknowledged_failures_let_receives_from_any_source_wait) {
    table_.note_failure(1);
    table_.find(base)->acknowledged = 1;
    EXPECT_EQ(table_.error_of(point_to_point, any_source), MPI_SUCCESS);
    EXPECT_EQ(table_.error_of(common, 0), MPIX_ERR_PROC_FAILED);
    table_.note_failure(2);
    EXPECT_EQ(table_.error_of(point_to_point, any_source), MPIX_ERR_PROC_FAILED);
}

TEST_F(failure_table_test, reported_failure_ends_what_needs_all_but_not_what_may_have_been_sent) {
    EXPECT_TRUE(table_.note_reported_failure(1));
    EXPECT_FALSE(table_.note_reported_failure(1));
    EXPECT_EQ(table_.error_of(common, 2), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(table_.error_of(point_to_point, any_source), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(table_.error_of(point_to_point, 1), MPI_SUCCESS);
    table_.note_failure(1);
    EXPECT_EQ(table_.error_of(point_to_point, 1), MPIX_ERR_PROC_FAILED);
    EXPECT_EQ(table_.find(base)->failed, std::vector<int>{1});
}

TEST_F(failure_table_test, communicator_knows_of_earlier_failures) {
    table_.note_failure(1);
    constexpr std::uint64_t later = base + contexts_in_a_row;
    EXPECT_FALSE(table_.watch(later, {1, 5}));
    EXPECT_EQ(table_.find(later)->failed, std::vector<int>{1});
}

TEST_F(failure_table_test, revocation_is_new_once_and_spares_recovery) {
    EXPECT_TRUE(table_.note_revocation(base));
    EXPECT_FALSE(table_.note_revocation(base));
    EXPECT_EQ(table_.error_of(point_to_point, 2), MPIX_ERR_REVOKED);
    EXPECT_EQ(table_.error_of(base + recovery_context, 2), MPI_SUCCESS);
    EXPECT_EQ(table_.error_of(base + contexts_in_a_row, 2), MPI_SUCCESS);
}

TEST_F(failure_table_test, revocation_may_come_before_the_communicator_is_made) {
    constexpr std::uint64_t later = base + contexts_in_a_row;
    EXPECT_FALSE(table_.note_revocation(later));
    EXPECT_TRUE(table_.watch(later, {0, 1}));
}

TEST_F(failure_table_test, each_member_is_told_of_a_revocation_once_though_memory_lacks_meanwhile) {
    std::vector<int> told;
    std::size_t room = 0;
    const auto tell = [&](std::uint64_t of, int member) {
        EXPECT_EQ(of, base);
        if (told.size() == room) {
            throw std::bad_alloc{};
        }
        told.push_back(member);
    };
    table_.tell_revocations(tell); // of none
    ASSERT_TRUE(table_.note_revocation(base));
    const std::vector<int> members = table_.find(base)->members;
    for (; room < members.size(); ++room) {
        EXPECT_THROW(table_.tell_revocations(tell), std::bad_alloc);
    }
    table_.tell_revocations(tell);
    EXPECT_EQ(told, members);
    room = told.size() + 1;
    table_.tell_revocations(tell);
    EXPECT_EQ(told, members);
}
