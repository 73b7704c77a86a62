// SPDX-License-Identifier: Apache-2.0
// Every byte of a stretch belongs to one aggregator and one of its rounds.
#include "file/domains.hpp"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace lisle::file {
namespace {

constexpr MPI_Count page = 4096;

struct division {
    file_run stretch;
    int wanted;
    MPI_Count window;
    int ranks;
};

void check(const division &of) {
    const domains divided{of.stretch, of.wanted, of.window, of.ranks};
    ASSERT_GE(divided.count(), 1);
    ASSERT_LE(divided.count(), std::max(1, std::min(of.wanted, of.ranks)));
    // Windows follow each other without a gap, from at most a page before the stretch to its end.
    MPI_Offset next = of.stretch.offset / page * page;
    for (int aggregator = 0; aggregator != divided.count(); ++aggregator) {
        if (aggregator != 0) {
            ASSERT_EQ(next % page, 0) << "two aggregators share a page";
        }
        for (MPI_Count round = 0; round != divided.rounds(); ++round) {
            const file_run window = divided.window_of(aggregator, round);
            ASSERT_LE(window.bytes, of.window);
            if (window.bytes != 0) {
                ASSERT_EQ(window.offset, next);
                next = window.end();
            }
        }
    }
    ASSERT_EQ(next, of.stretch.end());
}

TEST(domains, windows_cover_the_stretch_once) {
    std::mt19937_64 random{7};
    const auto below = [&random](MPI_Count end) {
        return static_cast<MPI_Count>(random() % static_cast<std::uint64_t>(end));
    };
    for (int repetition = 0; repetition != 3000; ++repetition) {
        const MPI_Count bytes = 1 + below(MPI_Count{1} << (3 + below(24)));
        const division drawn{{below(MPI_Count{1} << 40), bytes},
                             static_cast<int>(1 + below(20)),
                             1024 + below(MPI_Count{1} << 20),
                             static_cast<int>(1 + below(40))};
        SCOPED_TRACE(testing::Message()
                     << drawn.stretch.offset << '+' << drawn.stretch.bytes << ", " << drawn.wanted << " of "
                     << drawn.ranks << " ranks, windows of " << drawn.window);
        check(drawn);
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(domains, a_rank_knows_which_aggregator_it_is) {
    for (int ranks = 1; ranks != 30; ++ranks) {
        for (int wanted = 1; wanted != 33; ++wanted) {
            const domains divided{{0, MPI_Count{64} << 20}, wanted, 1 << 20, ranks};
            std::set<int> aggregators;
            for (int aggregator = 0; aggregator != divided.count(); ++aggregator) {
                const int rank = divided.rank_of(aggregator);
                ASSERT_TRUE(rank >= 0 && rank < ranks);
                ASSERT_TRUE(aggregators.insert(rank).second) << rank << " is two aggregators";
                ASSERT_EQ(divided.aggregator_at(rank), aggregator);
            }
            for (int rank = 0; rank != ranks; ++rank) {
                ASSERT_EQ(divided.aggregator_at(rank) != -1, aggregators.contains(rank));
            }
        }
    }
}

TEST(domains, a_short_stretch_has_one_aggregator) {
    EXPECT_EQ((domains{{0, 65536}, 8, 1 << 20, 8}.count()), 1);
    EXPECT_GT((domains{{0, 8 * 65536}, 8, 1 << 20, 8}.count()), 1);
}

} // namespace
} // namespace lisle::file
