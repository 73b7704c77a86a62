// SPDX-License-Identifier: Apache-2.0
// How long rMPI's versions look for a message: tables in constant time, the first version's lists not.
#include <functional>
#include <gtest/gtest.h>

#include "tile/rmpi/job.hpp"
#include "tile/rmpi/message_table.hpp"

namespace lisle::tile::rmpi {
namespace {

std::optional<standstill> run_two(version with, int tile0, int tile1, const rank_program &run) {
    tile_array array{parameters{}};
    return run_ranks(array, {tile0, tile1}, with, run);
}

TEST(RmpiMatching, TablesLookAtAsManyElementsForAHundredThousandMessagesAsForTen) {
    for (const int count : {10, 1000, 100'000}) {
        message_table table;
        for (int i = 0; i < count; ++i) {
            auto message = std::make_shared<unexpected_message>();
            message->of = {i % 16, i, 0, 0};
            table.insert(message);
        }
        for (int i = count; i-- > 0;) { // the newest first: what a list finds last
            const message_table::message found = table.find(any, i, 0);
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(found->of.tag, i);
            table.take(found);
        }
        EXPECT_EQ(table.steps(), count);
        EXPECT_EQ(table.find(any, any, 0), nullptr);
        EXPECT_EQ(table.size(), 0U);
    }
}

TEST(RmpiMatching, V1LooksThroughAllThatIsOutstanding) {
    const auto steps_for = [](int messages) {
        std::int64_t steps = 0;
        EXPECT_FALSE(run_two(version::v1, 0, 1, [&](endpoint &self) {
            for (int i = 0; i < messages; ++i) {
                if (self.rank() == 0) {
                    self.send(1, i, 0, {});
                } else {
                    self.receive(0, messages - 1 - i, 0, {});
                }
            }
            steps = self.rank() == 1 ? self.counts().list_steps : steps;
        }));
        return steps;
    };
    EXPECT_GT(steps_for(100), 50 * steps_for(10));
}

TEST(RmpiMatching, NoHashValueIsThatOfManyMessages) {
    struct messages {
        const char *what;
        std::function<envelope(int)> of;
    };
    const messages kinds[] = {
        {"tags that count",
         [](int i) {
             return envelope{3, i, 0, 0};
         }},
        {"tags above 2^21, which rMPI's hash mixed with sources",
         [](int i) {
             return envelope{i % 16, i << 12, 0, 0};
         }},
        {"sources that count",
         [](int i) {
             return envelope{i, 7, 0, 0};
         }},
        {"contexts that count",
         [](int i) {
             return envelope{1, 7, i, 0};
         }},
        {"all of them",
         [](int i) {
             return envelope{i % 47, i / 47, i % 3, 0};
         }},
    };
    for (const messages &kind : kinds) {
        message_table table;
        for (int i = 0; i < 20'000; ++i) {
            auto message = std::make_shared<unexpected_message>();
            message->of = kind.of(i);
            table.insert(message);
        }
        // As many as a good hash puts in one of as many places, with a probability of less than 1 in 10^6.
        EXPECT_LE(table.largest_bucket(), 14U) << kind.what;
    }
}

TEST(RmpiMatching, MessagesThatHaveBeenTakenAreLookedAtOnceMore) {
    message_table table;
    constexpr int count = 20'000;
    for (int i = 0; i < count; ++i) {
        auto message = std::make_shared<unexpected_message>();
        message->of = {i % 16, i, 0, 0};
        table.insert(message);
    }
    for (int i = 0; i < count; i += 2) {
        table.take(table.find(i % 16, i, 0));
    }
    for (int left = count / 2; left > 0; --left) { // by any source and tag, past those that have been taken
        table.take(table.find(any, any, 0));
    }
    EXPECT_EQ(table.size(), 0U);
    EXPECT_LE(table.steps(), 2 * count);
}

/// Cycles that a receive of one message takes while so many others have arrived.
cycle cycles_of_a_match(version with, int others) {
    cycle took = 0;
    EXPECT_FALSE(run_two(with, 0, 1, [&](endpoint &self) {
        for (int i = 0; i <= others + 1; ++i) {
            if (self.rank() == 0) {
                self.send(1, i, 0, {});
            } else if (i == 0) {
                if (with != version::v1) {
                    self.here().work(20'000'000); // all arrive
                }
                self.receive(0, others + 1, 0, {});
                const cycle begin = self.here().now();
                self.receive(0, others, 0, {}); // the newest of those that wait
                took = self.here().now() - begin;
            } else if (i <= others) {
                self.receive(0, i - 1, 0, {});
            }
        }
    }));
    return took;
}

TEST(RmpiMatching, AMatchTakesAsLongWithAThousandMessagesAsWithTenButInTheFirstVersion) {
    for (const version with : {version::v2, version::v3}) {
        EXPECT_LT(cycles_of_a_match(with, 1000), 2 * cycles_of_a_match(with, 10));
    }
    const cycle few = cycles_of_a_match(version::v1, 100);
    EXPECT_GT(cycles_of_a_match(version::v1, 1000) - few, 5 * (few - cycles_of_a_match(version::v1, 10)));
}

} // namespace
} // namespace lisle::tile::rmpi
