// SPDX-License-Identifier: Apache-2.0
// Frames in any order that a provider may end them in come out in the order of their numbers.
#include "fabric/network/peer/reorder_buffer.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using lisle::fabric::network::number_after;
using lisle::fabric::network::reorder_buffer;
using buffer = reorder_buffer<std::uint32_t>;

/// Takes a frame as the fabric does. @return what is passed on
std::vector<std::uint32_t> arrive(buffer &order, std::uint32_t number) {
    std::vector<std::uint32_t> passed_on;
    if (order.place_of(number) == buffer::arrival::early) {
        order.hold(number, number);
    } else if (order.place_of(number) == buffer::arrival::due) {
        passed_on.push_back(number);
        order.advance();
        while (const auto held = order.take_due()) {
            passed_on.push_back(*held);
        }
    }
    return passed_on;
}

/// Frames from `first` on, of which `under_way` at most are matched and have not ended, in random order.
void pass_in_random_order(std::uint32_t first, std::size_t under_way, unsigned seed) {
    constexpr int frames = 2000;
    std::mt19937 random{seed};
    buffer order{first};
    std::uint32_t next_matched = first, next_due = first;
    std::deque<std::uint32_t> matched;
    for (int ended = 0, started = 0; ended != frames; ++ended) {
        while (started != frames && matched.size() + order.held() != under_way) {
            matched.push_back(next_matched);
            next_matched = number_after(next_matched);
            ++started;
        }
        // Now and then the first one takes its time.
        const std::size_t least = matched.size() > 1 && random() % 4 != 0 ? 1 : 0;
        const auto chosen =
            matched.begin() + static_cast<std::ptrdiff_t>(least + random() % (matched.size() - least));
        const std::uint32_t number = *chosen;
        matched.erase(chosen);
        const bool due = number == next_due;
        ASSERT_EQ(order.place_of(number), due ? buffer::arrival::due : buffer::arrival::early);
        const std::vector<std::uint32_t> passed_on = arrive(order, number);
        ASSERT_EQ(passed_on.empty(), !due);
        for (const std::uint32_t each : passed_on) {
            ASSERT_EQ(each, next_due);
            next_due = number_after(next_due);
        }
        ASSERT_EQ(order.due(), next_due);
        ASSERT_LT(order.held(), under_way);
        ASSERT_EQ(order.place_of(number), buffer::arrival::repeated);
    }
    EXPECT_EQ(order.held(), 0U);
    EXPECT_EQ(order.due(), next_matched);
}

TEST(reorder_buffer, any_order_becomes_that_of_the_numbers) {
    for (unsigned seed = 0; seed != 50; ++seed) {
        for (const std::size_t under_way : {1U, 2U, 3U, 17U, 64U, buffer::window}) {
            pass_in_random_order(1, under_way, seed);
        }
    }
}

TEST(reorder_buffer, numbers_begin_anew_after_the_greatest) {
    for (unsigned seed = 0; seed != 50; ++seed) {
        pass_in_random_order(std::numeric_limits<std::uint32_t>::max() - seed * 20, 64, seed);
    }
}

TEST(reorder_buffer, a_number_that_has_come_or_cannot_come_is_told_apart) {
    buffer order{1000};
    EXPECT_EQ(order.place_of(0), buffer::arrival::impossible);
    EXPECT_EQ(order.place_of(1000), buffer::arrival::due);
    EXPECT_EQ(order.place_of(999), buffer::arrival::repeated);
    EXPECT_EQ(order.place_of(1000 - buffer::window), buffer::arrival::repeated);
    EXPECT_EQ(order.place_of(1000 - buffer::window - 1), buffer::arrival::impossible);
    EXPECT_EQ(order.place_of(1000 + buffer::window), buffer::arrival::early);
    EXPECT_EQ(order.place_of(1000 + buffer::window + 1), buffer::arrival::impossible);
    EXPECT_EQ(order.place_of(std::numeric_limits<std::uint32_t>::max()), buffer::arrival::impossible);
    order.hold(1002, 1002);
    EXPECT_EQ(order.place_of(1002), buffer::arrival::repeated);
    EXPECT_EQ(order.place_of(1001), buffer::arrival::early);
    EXPECT_FALSE(order.take_due());
    // After the greatest number comes 1.
    const buffer wrapped{1};
    EXPECT_EQ(wrapped.place_of(std::numeric_limits<std::uint32_t>::max()), buffer::arrival::repeated);
    EXPECT_EQ(wrapped.place_of(0), buffer::arrival::impossible);
}

TEST(reorder_buffer, what_is_held_of_a_failed_peer_is_given_back) {
    buffer order;
    for (const std::uint32_t number : {5U, 3U, 4U}) {
        order.hold(number, number);
    }
    std::vector<std::uint32_t> left;
    while (const auto each = order.take_any()) {
        left.push_back(*each);
    }
    EXPECT_EQ(left, (std::vector<std::uint32_t>{5, 4, 3}));
    EXPECT_EQ(order.held(), 0U);
}

} // namespace
