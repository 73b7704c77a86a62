// SPDX-License-Identifier: Apache-2.0
// The checker of histories that the behaviour tests of atomics use: it accepts what one variable could have
// done, and finds each sort of planted fault.
#include "mpi/rma/history.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using kind = atomic_operation::kind;

/// fetched a value, in this interval
atomic_operation operation(kind what, std::int64_t given, std::int64_t fetched, std::int64_t called,
                           std::int64_t returned) {
    return {what, 1, given, 0, fetched, called, returned};
}

atomic_operation swap(std::int64_t expected, std::int64_t given, std::int64_t fetched, std::int64_t called,
                      std::int64_t returned) {
    return {kind::compare_and_swap, 1, given, expected, fetched, called, returned};
}

/// What a right variable does: operations that take effect one after the other, each at a moment of its
/// interval.
std::vector<atomic_operation> played(std::mt19937 &random, std::size_t length, std::int64_t &held,
                                     std::size_t bytes) {
    std::vector<atomic_operation> history;
    const auto below = [&](int bound) {
        return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
    };
    for (std::size_t i = 0; i < length; ++i) {
        atomic_operation each;
        each.what = static_cast<kind>(below(5));
        each.fetches = below(4) != 0 ? 1 : 0;
        each.given = below(4);
        each.expected = below(2) == 0 ? held : below(4);
        each.fetched = held;
        const auto moment = static_cast<std::int64_t>(i) * 10;
        each.called = moment - below(60);
        each.returned = moment + below(60);
        held = applied(each, held, bytes);
        history.push_back(each);
    }
    std::ranges::shuffle(history, random);
    return history;
}

TEST(History, AcceptsNothingAtAll) {
    EXPECT_TRUE(is_linearisable({}, 5, 5));
    EXPECT_FALSE(is_linearisable({}, 5, 6));
}

TEST(History, AcceptsOverlappingOperationsInTheOrderThatExplainsThem) {
    const std::vector<atomic_operation> history{operation(kind::add, 1, 1, 0, 10),
                                                operation(kind::add, 1, 0, 0, 10)};
    EXPECT_TRUE(is_linearisable(history, 0, 2));
}

TEST(History, FindsALostUpdate) {
    const std::vector<atomic_operation> history{operation(kind::add, 1, 0, 0, 10),
                                                operation(kind::add, 1, 0, 0, 10)};
    EXPECT_FALSE(is_linearisable(history, 0, 1));
    EXPECT_FALSE(is_linearisable(history, 0, 2));
}

TEST(History, FindsAnUpdateThatNobodyFetched) {
    std::vector<atomic_operation> history{operation(kind::add, 1, 0, 0, 10),
                                          operation(kind::add, 1, 0, 0, 10)};
    history[1].fetches = 0;
    EXPECT_TRUE(is_linearisable(history, 0, 2));
    EXPECT_FALSE(is_linearisable(history, 0, 1));
}

TEST(History, FindsAReadOfAnOldValue) {
    std::vector<atomic_operation> history{operation(kind::replace, 7, 0, 0, 10),
                                          operation(kind::read, 0, 0, 5, 20)};
    EXPECT_TRUE(is_linearisable(history, 0, 7)); // the read may have come first
    history[1].called = 11;
    EXPECT_FALSE(is_linearisable(history, 0, 7));
}

TEST(History, FindsTwoSwapsThatBothSucceed) {
    const std::vector<atomic_operation> history{swap(0, 1, 0, 0, 10), swap(0, 2, 0, 0, 10)};
    EXPECT_FALSE(is_linearisable(history, 0, 1));
    EXPECT_FALSE(is_linearisable(history, 0, 2));
    const std::vector<atomic_operation> one_fails{swap(0, 1, 0, 0, 10), swap(0, 2, 1, 0, 10)};
    EXPECT_TRUE(is_linearisable(one_fails, 0, 1));
}

TEST(History, FindsATornValue) {
    const std::vector<atomic_operation> history{operation(kind::replace, 0x0101, 0, 0, 10),
                                                operation(kind::replace, 0x0202, 0x0101, 11, 20),
                                                operation(kind::read, 0, 0x0201, 12, 19)};
    EXPECT_FALSE(is_linearisable(history, 0, 0x0202, 2));
}

TEST(History, CountsInTheWidthOfTheVariable) {
    const std::vector<atomic_operation> history{operation(kind::add, 2, 127, 0, 10)};
    EXPECT_TRUE(is_linearisable(history, 127, -127, 1));
    EXPECT_FALSE(is_linearisable(history, 127, -127, 2));
}

/// Whatever a right variable does is accepted; of histories with one wrong value most are refused, and would
/// all be if no other order explained them.
TEST(History, TellsPlayedHistoriesFromSpoiltOnes) {
    std::mt19937 random(1);
    int refused = 0;
    constexpr int histories = 60;
    for (int i = 0; i < histories; ++i) {
        std::int64_t last = 0;
        std::vector<atomic_operation> history = played(random, 40, last, 8);
        ASSERT_TRUE(is_linearisable(history, 0, last)) << i;
        EXPECT_FALSE(is_linearisable(history, 0, last + 1000)) << i;
        history[random() % history.size()].fetched += 1000;
        if (!is_linearisable(history, 0, last))
            ++refused;
    }
    EXPECT_GT(refused, histories / 2); // a quarter of the operations fetch nothing
}

} // namespace
