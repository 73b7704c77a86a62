// SPDX-License-Identifier: Apache-2.0
#include "abi/known_stacks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lisle::abi {
namespace {

/// A stack of some frames, each of a return address alone.
struct made_up_stack {
    std::vector<std::uintptr_t> words;

    explicit made_up_stack(std::uintptr_t first, std::size_t frames = 3) {
        for (std::size_t i = 0; i < frames; ++i) {
            words.push_back(first + i);
        }
    }
    [[nodiscard]] stack_start start() const {
        return {words.data(), reinterpret_cast<const void *>(words[0])};
    }
    [[nodiscard]] stack_way way() const {
        stack_way made;
        for (const std::uintptr_t &each : words) {
            made.add(reinterpret_cast<std::uintptr_t>(&each + 1), each);
        }
        return made;
    }
};

TEST(known_stacks, answer_while_the_return_addresses_are_in_their_places) {
    known_stacks<int> known;
    made_up_stack stack{100};
    EXPECT_EQ(known.find(stack.start()), nullptr);
    known.keep(stack.start(), stack.way(), 7);
    ASSERT_NE(known.find(stack.start()), nullptr);
    EXPECT_EQ(*known.find(stack.start()), 7);
    stack.words[2] = 5;
    EXPECT_EQ(known.find(stack.start()), nullptr);
    known.keep(stack.start(), stack.way(), 8);
    EXPECT_EQ(*known.find(stack.start()), 8);
}

// Lines of one function call the same entry point as deep on the stack.
TEST(known_stacks, know_several_ways_of_one_start) {
    known_stacks<std::uintptr_t> known;
    made_up_stack stack{100};
    const stack_start start = stack.start();
    for (std::uintptr_t line = 0; line < 12; ++line) {
        stack.words[1] = 1000 + line;
        EXPECT_EQ(known.find(start), nullptr);
        known.keep(start, stack.way(), line);
    }
    for (std::uintptr_t line = 0; line < 12; ++line) {
        stack.words[1] = 1000 + line;
        ASSERT_NE(known.find(start), nullptr);
        EXPECT_EQ(*known.find(start), line);
    }
}

TEST(known_stacks, keep_no_way_that_is_not_known) {
    known_stacks<int> known;
    const made_up_stack stack{100};
    stack_way elsewhere = stack.way();
    elsewhere.add(reinterpret_cast<std::uintptr_t>(&stack.words[1]), 12);
    EXPECT_FALSE(elsewhere.is_known());
    known.keep(stack.start(), elsewhere, 7);
    EXPECT_EQ(known.find(stack.start()), nullptr);
    const made_up_stack deep{100, 40};
    EXPECT_FALSE(deep.way().is_known());
}

// A worker runs the fibers of many ranks, each of which calls from some places.
TEST(known_stacks, grow_with_the_stacks_that_a_thread_has) {
    known_stacks<std::size_t> known;
    std::vector<made_up_stack> stacks;
    for (std::uintptr_t i = 0; i < 3000; ++i) {
        stacks.emplace_back(100 + 16 * (i % 5));
    }
    std::size_t found = 0;
    for (int round = 0; round < 12; ++round) {
        found = 0;
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            const auto *const before = known.find(stacks[i].start());
            found += before != nullptr && *before == i ? 1 : 0;
            if (before == nullptr) {
                known.keep(stacks[i].start(), stacks[i].way(), i);
            }
        }
    }
    EXPECT_GT(found, stacks.size() * 4 / 5);
}

} // namespace
} // namespace lisle::abi
