// SPDX-License-Identifier: Apache-2.0
// What is attached, as other processes read it: also while the owner changes it.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rma/state/attached_memory.hpp"
#include "rma/state/attached_table.hpp"

namespace {

using lisle::rma::attached_memory;
using lisle::rma::attached_table;
using answer = attached_table::answer;

TEST(attached_table, says_what_is_attached) {
    attached_table table;
    EXPECT_EQ(table.find(100, 1), answer::not_attached);
    const std::vector<attached_table::region> regions{{100, 20}, {120, 5}, {200, 1}};
    table.write(regions);
    EXPECT_EQ(table.find(100, 20), answer::attached);
    EXPECT_EQ(table.find(119, 6), answer::attached); // two that touch
    EXPECT_EQ(table.find(119, 7), answer::not_attached);
    EXPECT_EQ(table.find(99, 2), answer::not_attached);
    EXPECT_EQ(table.find(125, 1), answer::not_attached);
    EXPECT_EQ(table.find(200, 1), answer::attached);
}

TEST(attached_table, says_that_it_has_no_place_for_all) {
    std::vector<char> bytes(1000);
    const auto at = reinterpret_cast<std::uint64_t>(bytes.data());
    attached_table table;
    attached_memory memory;
    memory.publish_in(table);
    for (std::size_t i = 0; i < 300; ++i) {
        memory.add(&bytes[2 * i], 1);
        EXPECT_EQ(table.find(at + 2 * i, 1), i < 255 ? answer::attached : answer::unknown);
    }
    for (std::size_t i = 0; i < 300; ++i) {
        memory.remove(&bytes[2 * i]);
    }
    EXPECT_EQ(table.find(at, 1), answer::not_attached);
}

TEST(attached_table, is_never_seen_half_changed) {
    // Two states, which have one region in common: it is always attached, and the gap never.
    const std::vector<attached_table::region> one{{1000, 10}, {2000, 10}};
    const std::vector<attached_table::region> other{{500, 10}, {700, 10}, {900, 10}, {2000, 10}};
    attached_table table;
    table.write(one);
    std::atomic<bool> ended{false};
    std::thread writer{[&] {
        for (int i = 0; i < 20000; ++i) {
            table.write(i % 2 == 0 ? other : one);
        }
        ended.store(true);
    }};
    while (!ended.load()) {
        EXPECT_NE(table.find(2000, 10), answer::not_attached);
        EXPECT_NE(table.find(600, 1), answer::attached);
    }
    writer.join();
    EXPECT_EQ(table.find(1000, 10), answer::attached);
}

} // namespace
