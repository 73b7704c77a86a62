// SPDX-License-Identifier: Apache-2.0
#include "execution/fiber_stacks.hpp"

#include <cstdint>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

using lisle::fiber_stacks;

TEST(fiber_stacks_test, gives_each_the_room_it_promises) {
    constexpr std::size_t count = 20;
    const fiber_stacks stacks{count, 20000};
    EXPECT_GE(stacks.bytes(), 20000u);
    for (std::size_t i = 0; i < count; ++i) {
        std::memset(stacks.top(i) - stacks.bytes(), static_cast<int>(i), stacks.bytes());
    }
    for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(*(stacks.top(i) - stacks.bytes()), static_cast<std::byte>(i));
        EXPECT_EQ(*(stacks.top(i) - 1), static_cast<std::byte>(i));
    }
}

TEST(fiber_stacks_test, spreads_tops_over_a_page) {
    const fiber_stacks stacks{9, 65536};
    std::set<std::uintptr_t> places;
    for (std::size_t i = 0; i < 9; ++i) {
        const auto top = reinterpret_cast<std::uintptr_t>(stacks.top(i));
        EXPECT_EQ(top % 64, 0u);
        places.insert(top % 4096);
    }
    EXPECT_EQ(places.size(), 8u);
}

TEST(fiber_stacks_death_test, faults_below_a_stack) {
    const fiber_stacks stacks{3, 65536};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DEATH(*(stacks.top(i) - stacks.bytes() - 4097) = std::byte{1}, "");
    }
}
