// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <utility>

#include "base/ring.hpp"

namespace {

using lisle::ring;

TEST(Ring, IsAQueueWhateverIsDoneToIt) {
    std::mt19937 random{7};
    ring<int> tested;
    std::deque<int> expected;
    for (int step = 0; step != 20000; ++step) {
        const unsigned what = random() % 8;
        if (what < 5) {
            tested.push_back(step);
            expected.push_back(step);
        } else if (what < 7 && !expected.empty()) {
            tested.pop_front();
            expected.pop_front();
        } else if (const std::size_t most = expected.size(); random() % 40 == 0) {
            const std::size_t count = random() % (most + 1);
            tested.drop_front(count);
            expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
        }
        ASSERT_EQ(tested.size(), expected.size());
        for (std::size_t place = 0; place < expected.size(); place += 1 + expected.size() / 4) {
            ASSERT_EQ(tested[place], expected[place]);
        }
    }
}

TEST(Ring, ErasesWhatIsEqualAndKeepsTheOrder) {
    ring<int> tested;
    for (const int value : {4, 4, 1, 4, 2, 3, 4}) {
        tested.push_back(value);
    }
    tested.pop_front();
    tested.push_back(5);
    tested.erase(4);
    ASSERT_EQ(tested.size(), 4U);
    for (std::size_t place = 0; const int value : {1, 2, 3, 5}) {
        EXPECT_EQ(tested[place++], value);
    }
    EXPECT_TRUE(tested.any([](int value) { return value == 5; }));
    EXPECT_FALSE(tested.any([](int value) { return value == 4; }));
}

TEST(Ring, HasRoomForWhatWasReserved) {
    ring<int> tested;
    tested.reserve(5);
    tested.push_back(0);
    const int *const first = &tested.front();
    for (int value = 1; value != 5; ++value) {
        tested.push_back(value);
    }
    EXPECT_EQ(&tested.front(), first);
    const ring<int> moved{std::move(tested)};
    EXPECT_EQ(&moved.front(), first);
    EXPECT_EQ(moved.size(), 5U);
}

} // namespace
