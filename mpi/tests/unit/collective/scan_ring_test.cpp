// SPDX-License-Identifier: Apache-2.0
#include "collective/process/scan_ring.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

using lisle::collective::scan_ring;

TEST(scan_ring_test, has_nothing_at_first) {
    const auto ring = std::make_unique<scan_ring>();
    EXPECT_FALSE(ring->posted(0));
    EXPECT_FALSE(ring->posted(5));
    EXPECT_TRUE(ring->has_room(0));
}

TEST(scan_ring_test, has_room_until_slots_are_taken) {
    const auto ring = std::make_unique<scan_ring>();
    std::uint64_t number = 0;
    while (ring->has_room(number)) {
        ring->post(number, scan_ring::mismatch);
        ASSERT_LT(++number, 100U);
    }
    EXPECT_TRUE(ring->posted(number - 1));
    EXPECT_FALSE(ring->posted(number)) << "the same place, another scan";
    EXPECT_EQ(ring->bytes(number - 1), scan_ring::mismatch);
    for (std::uint64_t taken = 0; taken < number; ++taken) {
        ring->take(taken);
    }
    EXPECT_TRUE(ring->has_room(number));
}

/// One thread writes as far ahead as it can, one reads.
TEST(scan_ring_test, carries_each_slot_once_and_whole) {
    constexpr std::uint64_t scans = 20000;
    const auto ring = std::make_unique<scan_ring>();
    const auto bytes_of = [](std::uint64_t number) { return number * 37 % (scan_ring::most + 1); };
    const auto value_of = [](std::uint64_t number) { return static_cast<std::byte>(number % 251); };
    std::thread writer{[&] {
        for (std::uint64_t number = 0; number < scans; ++number) {
            while (!ring->has_room(number)) {
                std::this_thread::yield();
            }
            std::fill_n(ring->place(number), bytes_of(number), value_of(number));
            ring->post(number, static_cast<MPI_Count>(bytes_of(number)));
        }
    }};
    std::uint64_t wrong = 0;
    for (std::uint64_t number = 0; number < scans; ++number) {
        while (!ring->posted(number)) {
            std::this_thread::yield();
        }
        const auto bytes = static_cast<std::size_t>(ring->bytes(number));
        const std::byte *const data = ring->data(number);
        wrong += bytes != bytes_of(number);
        wrong += static_cast<std::uint64_t>(
            std::count_if(data, data + bytes, [&](std::byte each) { return each != value_of(number); }));
        ring->take(number);
    }
    writer.join();
    EXPECT_EQ(wrong, 0U);
}
