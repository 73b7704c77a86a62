// SPDX-License-Identifier: Apache-2.0
// The test kit inside GoogleTest: functions run as ranks, failures of any rank are the test's, exceptions and
// fatal assertions end their rank alone, and a rank that others wait for is not waited for for ever.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "lisle/testing.hpp"

namespace {

using lisle::testing::as_ranks;
using lisle::testing::rank_info;

TEST(kit, runs_each_rank_once) {
    for (const int size : {1, 2, 5, 64}) {
        std::set<int> seen;
        as_ranks(size, [&](rank_info me) {
            EXPECT_EQ(me.size, size);
            EXPECT_TRUE(seen.insert(me.rank).second) << me.text(); // one thread: no race
            int sum = 0;
            MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(sum, size * (size - 1) / 2);
        });
        EXPECT_EQ(static_cast<int>(seen.size()), size);
    }
}

TEST(kit, takes_several_sizes_and_functions_without_argument) {
    int calls = 0;
    as_ranks({1, 3, 4}, [&] { ++calls; });
    EXPECT_EQ(calls, 8);
}

TEST(kit, hands_exceptions_on) {
    int ended = 0;
    const auto test = [&](rank_info me) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me.rank == 2)
            throw std::out_of_range{me.text()};
        ++ended;
    };
    EXPECT_THROW(
        {
            try {
                as_ranks(4, test);
            } catch (const std::out_of_range &error) {
                EXPECT_STREQ(error.what(), "rank 2 of 4");
                throw;
            }
        },
        std::out_of_range);
    EXPECT_EQ(ended, 3);
}

void fails_on_rank_one() {
    as_ranks(3, [](rank_info me) {
        ASSERT_NE(me.rank, 1) << "as it should";
        EXPECT_NE(me.rank, 1);
    });
}

TEST(kit, fatal_assertions_end_their_rank) {
    EXPECT_FATAL_FAILURE_ON_ALL_THREADS(fails_on_rank_one(), "as it should");
}

using kit_death = testing::Test;

TEST(kit_death, does_not_wait_for_ever_for_a_failed_rank) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto test = [](rank_info me) {
        if (me.rank == 1)
            throw std::runtime_error{"lost"};
        MPI_Barrier(MPI_COMM_WORLD);
    };
    EXPECT_DEATH(as_ranks(3, test, std::chrono::milliseconds{50}),
                 "ended rank 1, and 2 of the 3 ranks.*\n.*lost");
}

TEST(kit, threads_too) {
    std::atomic<int> ended{0};
    EXPECT_THROW(lisle::run(4,
                            [&] {
                                int rank = -1;
                                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                                MPI_Barrier(MPI_COMM_WORLD);
                                if (rank != 0)
                                    throw std::runtime_error{"all but one"};
                                ++ended;
                            }),
                 std::runtime_error);
    EXPECT_EQ(ended.load(), 1);
    EXPECT_THROW(lisle::run(2, [] { throw 5; }), int);
}

} // namespace
