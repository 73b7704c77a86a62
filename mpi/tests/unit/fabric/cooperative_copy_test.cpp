// SPDX-License-Identifier: Apache-2.0
// The two sides of a long copy: every byte is moved once, by one of them, and one of them learns that all is
// done, however they meet.
#include "fabric/local/cooperative_copy.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using lisle::fabric::cooperative_copy;

namespace {

/// Moves all that there is; counts how often each byte was moved and says whether the end was seen.
bool work_on(cooperative_copy &copy, std::uint64_t turn, std::vector<unsigned char> &moved) {
    bool last = false;
    for (auto piece = copy.take(turn, moved.size()); piece.bytes != 0;
         piece = copy.take(turn, moved.size())) {
        EXPECT_FALSE(last) << "there was more after the end";
        EXPECT_LE(piece.offset + piece.bytes, moved.size());
        for (std::uint64_t i = 0; i < piece.bytes; ++i) {
            ++moved[piece.offset + i];
        }
        last = copy.end(piece, true);
    }
    return last;
}

} // namespace

TEST(cooperative_copy, is_done_by_one_side_alone_if_the_other_does_not_come) {
    cooperative_copy copy{};
    for (const std::size_t bytes : {1U, 32767U, 32768U, 32769U, 100000U, 5000000U}) {
        std::vector<unsigned char> moved(bytes);
        EXPECT_TRUE(work_on(copy, copy.begin(bytes), moved));
        EXPECT_EQ(moved, std::vector<unsigned char>(bytes, 1));
    }
}

TEST(cooperative_copy, gives_nothing_to_who_comes_for_another_turn) {
    cooperative_copy copy{};
    const std::uint64_t old = copy.begin(100000);
    std::vector<unsigned char> moved(100000);
    EXPECT_EQ(copy.take(old + 1, 100000).bytes, 0U);
    EXPECT_TRUE(work_on(copy, old, moved));
    EXPECT_EQ(copy.take(old, 100000).bytes, 0U);
    const std::uint64_t next = copy.begin(100000);
    EXPECT_EQ(copy.take(old, 100000).bytes, 0U);
    EXPECT_NE(copy.take(next, 100000).bytes, 0U);
}

TEST(cooperative_copy, remembers_a_refusal_until_the_next_one) {
    cooperative_copy copy{};
    const std::uint64_t turn = copy.begin(40000);
    const auto first = copy.take(turn, 40000);
    const auto second = copy.take(turn, 40000);
    EXPECT_FALSE(copy.end(first, false));
    EXPECT_TRUE(copy.end(second, true));
    EXPECT_TRUE(copy.refused());
    EXPECT_NE(copy.begin(40000), turn);
    EXPECT_FALSE(copy.refused());
}

TEST(cooperative_copy, moves_every_byte_once_whoever_comes_when) {
    cooperative_copy copy{};
    std::mt19937 random{7};
    for (int round = 0; round < 80; ++round) {
        const std::size_t bytes = 1 + random() % 2000000;
        std::array<std::vector<unsigned char>, 2> moved{std::vector<unsigned char>(bytes),
                                                        std::vector<unsigned char>(bytes)};
        std::array<bool, 2> last{};
        const std::uint64_t turn = copy.begin(bytes);
        const auto delay = random() % 3;
        std::thread other{[&] {
            for (unsigned i = 0; i < delay; ++i) {
                std::this_thread::yield();
            }
            last[1] = work_on(copy, turn, moved[1]);
        }};
        last[0] = work_on(copy, turn, moved[0]);
        other.join();
        EXPECT_EQ(last[0] + last[1], 1);
        for (std::size_t i = 0; i < bytes; ++i) {
            ASSERT_EQ(moved[0][i] + moved[1][i], 1) << "byte " << i << " of " << bytes;
        }
    }
}
