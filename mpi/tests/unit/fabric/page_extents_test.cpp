// SPDX-License-Identifier: Apache-2.0
// The preloaded allocator's pages, compared with a map of what is taken.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "allocator/page_extents.hpp"

using lisle::allocator::page_extents;

namespace {

struct page_extents_test : testing::Test {
    static constexpr std::uint32_t end = 1000;
    std::vector<page_extents::entry> table = std::vector<page_extents::entry>(end);
    page_extents pages{table.data(), end};
};

TEST_F(page_extents_test, joins_free_extents_that_touch) {
    const auto first = pages.take(10).first, second = pages.take(10).first, third = pages.take(10).first;
    const auto fourth = pages.take(10).first;
    EXPECT_NE(fourth, page_extents::none);
    pages.give(first);
    pages.give(third);
    const auto whole = pages.give(second);
    EXPECT_EQ(whole.first, first);
    EXPECT_EQ(whole.pages, 30u);
    EXPECT_EQ(pages.unclean(), 30u);
    EXPECT_EQ(pages.any_unclean(), first);
    EXPECT_EQ(pages.take(30).first, first);
    EXPECT_EQ(pages.unclean(), 0u);
}

TEST_F(page_extents_test, knows_what_is_zeroed) {
    const auto block = pages.take(20);
    EXPECT_TRUE(block.zeroed);
    EXPECT_TRUE(pages.take(20).zeroed); // keeps what is free apart from the rest
    pages.give(block.first);
    const auto again = pages.take(15);
    EXPECT_EQ(again.first, block.first);
    EXPECT_FALSE(again.zeroed);
    pages.note_cleaned(pages.any_unclean());
    EXPECT_EQ(pages.any_unclean(), page_extents::none);
    EXPECT_TRUE(pages.take(5).zeroed);
}

TEST_F(page_extents_test, lengthens_and_shortens) {
    const auto block = pages.take(10).first, next = pages.take(10).first;
    EXPECT_FALSE(pages.lengthen(block, 11));
    pages.give(next);
    EXPECT_TRUE(pages.lengthen(block, 11));
    EXPECT_TRUE(pages.lengthen(block, end - 1));
    EXPECT_FALSE(pages.lengthen(block, end));
    EXPECT_EQ(pages.take(1).first, page_extents::none);
    pages.cut(block, 1);
    EXPECT_EQ(pages.pages_of(block), 1u);
    EXPECT_EQ(pages.take(end - 2).first, block + 1);
}

TEST_F(page_extents_test, takes_nothing_again_that_has_been_retired) {
    const auto block = pages.take(10).first, freed = pages.take(10).first, after = pages.take(10).first;
    pages.give(freed);
    pages.retire();
    EXPECT_EQ(pages.low(), pages.high());
    const auto fresh = pages.take(10).first;
    EXPECT_EQ(fresh, pages.low());
    EXPECT_EQ(pages.give(block).first, page_extents::none);
    EXPECT_EQ(pages.give(after).first, page_extents::none);
    EXPECT_EQ(pages.give(fresh).first, fresh);
    EXPECT_EQ(pages.take(10).first, fresh);
}

TEST_F(page_extents_test, has_no_room_for_too_much) {
    EXPECT_EQ(pages.take(end).first, page_extents::none);
    EXPECT_EQ(pages.take(UINT32_MAX).first, page_extents::none);
    EXPECT_EQ(pages.take(UINT32_MAX - 3, 8).first, page_extents::none);
    EXPECT_EQ(pages.take(0).first, page_extents::none);
    EXPECT_EQ(pages.take(end - 1).first, 1u);
}

TEST_F(page_extents_test, keeps_extents_apart) {
    std::mt19937 numbers{4};
    const auto random = [&] { return static_cast<std::uint32_t>(numbers()); };
    std::map<std::uint32_t, std::uint32_t> taken; // first: pages
    std::uint32_t retired = 1;
    const auto check = [&](std::uint32_t first, std::uint32_t count) {
        ASSERT_GE(first, retired);
        ASSERT_LE(first + count, end);
        const auto behind = taken.upper_bound(first);
        ASSERT_TRUE(behind == taken.end() || first + count <= behind->first);
        ASSERT_TRUE(behind == taken.begin() || std::prev(behind)->first + std::prev(behind)->second <= first);
    };
    for (int step = 0; step != 20000; ++step) {
        const std::uint32_t count = 1 + random() % (random() % 8 == 0 ? 200 : 20);
        if (random() % 2 == 0 || taken.empty()) {
            const std::uint32_t alignment = 1u << (random() % 5);
            const auto found = pages.take(count, alignment).first;
            if (found != page_extents::none) {
                ASSERT_EQ(found % alignment, 0u);
                check(found, count);
                taken.emplace(found, count);
            }
            continue;
        }
        const auto any = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
        ASSERT_TRUE(pages.is_taken(any->first));
        ASSERT_EQ(pages.pages_of(any->first), any->second);
        if (random() % 4 == 0 && count < any->second) {
            pages.cut(any->first, count);
            any->second = count;
        } else if (random() % 4 == 0 && count > any->second) {
            if (pages.lengthen(any->first, count)) {
                const std::uint32_t first = any->first;
                taken.erase(any);
                check(first, count);
                taken.emplace(first, count);
            }
        } else {
            pages.give(any->first);
            taken.erase(any);
        }
        if (random() % 16 == 0 && pages.any_unclean() != page_extents::none) {
            pages.note_cleaned(pages.any_unclean());
        }
        if (step == 15000) {
            pages.retire();
            retired = pages.low();
            ASSERT_EQ(pages.unclean(), 0u);
        }
    }
    for (const auto &[first, count] : taken) {
        pages.give(first);
    }
    while (pages.any_unclean() != page_extents::none) {
        pages.note_cleaned(pages.any_unclean());
    }
    EXPECT_EQ(pages.low(), pages.high()); // all that is left is one piece, at the end
}

} // namespace
