// SPDX-License-Identifier: Apache-2.0
// Blocks that ranks find under keys: one decision for all who ask, memory that comes back zeroed, and an end
// when decisions cannot be kept; and the order of storing, watching and ringing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "fabric/local/shared_area.hpp"

namespace lisle::fabric::local {
namespace {

class shared_area_test : public testing::Test {
  protected:
    static constexpr int ranks = 4;
    shared_area_layout layout_ = shared_area_layout::for_job_of(ranks);
    std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(layout_.bytes() / 8 + 8);
    shared_area area_{aligned(), layout_};

  private:
    std::byte *aligned() {
        auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        return reinterpret_cast<std::byte *>((address + 63) / 64 * 64);
    }
};

TEST_F(shared_area_test, gives_all_who_ask_one_zeroed_block) {
    std::byte *const block = area_.block(17, 5000);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
    EXPECT_TRUE(std::all_of(block, block + 5000, [](std::byte b) { return b == std::byte{}; }));
    std::fill_n(block, 5000, std::byte{1});
    EXPECT_EQ(area_.block(17, 5000), block);
    EXPECT_NE(area_.block(18, 5000), block);
    area_.leave(17, 2);
    EXPECT_EQ(area_.block(17, 5000), block); // one of two still has it
    area_.leave(17, 2);
    std::byte *const again = area_.block(19, 5000);
    EXPECT_EQ(again, block); // the lowest room
    EXPECT_EQ(again[4999], std::byte{});
}

TEST_F(shared_area_test, blocks_do_not_overlap) {
    constexpr std::size_t bytes = 3000;
    std::vector<std::byte *> blocks;
    for (std::uint64_t key = 1; std::byte *const block = area_.block(key, bytes); ++key) {
        blocks.push_back(block);
    }
    EXPECT_GE(blocks.size(),
              std::min(layout_.entries, layout_.units * shared_area_layout::unit_bytes / bytes / 2));
    std::sort(blocks.begin(), blocks.end());
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        EXPECT_GE(blocks[i] - blocks[i - 1], static_cast<std::ptrdiff_t>(bytes));
    }
}

TEST_F(shared_area_test, keeps_a_refusal_until_all_have_heard_it) {
    const std::size_t most = layout_.units * shared_area_layout::unit_bytes;
    ASSERT_NE(area_.block(1, most), nullptr);
    EXPECT_EQ(area_.block(2, 100), nullptr);
    area_.leave(2, 2);
    area_.leave(1, 1); // now there would be room
    EXPECT_EQ(area_.block(2, 100), nullptr);
    area_.leave(2, 2);
    EXPECT_NE(area_.block(3, 100), nullptr);
}

TEST_F(shared_area_test, decides_nothing_that_it_cannot_keep) {
    std::uint64_t key = 1;
    for (std::size_t i = 0; i < layout_.entries; ++i) {
        static_cast<void>(area_.block(key++, 64));
    }
    EXPECT_EQ(area_.block(key, 64), nullptr);
    for (std::uint64_t old = 1; old < key; ++old) {
        area_.leave(old, 1);
    }
    EXPECT_EQ(area_.block(key, 64), nullptr); // others may have been told so
    EXPECT_EQ(area_.block(key + 1, 64), nullptr);
}

TEST_F(shared_area_test, rings_once_for_a_rank_that_watches) {
    doorbell bell;
    const std::uint32_t seen = bell.value();
    area_.nudge(2, bell);
    EXPECT_EQ(bell.value(), seen);
    EXPECT_FALSE(area_.watch(2)); // look once more
    EXPECT_TRUE(area_.watch(2));
    area_.nudge(1, bell);
    EXPECT_EQ(bell.value(), seen);
    area_.nudge(2, bell);
    EXPECT_NE(bell.value(), seen);
    const std::uint32_t rung = bell.value();
    area_.nudge(2, bell);
    EXPECT_EQ(bell.value(), rung);
    EXPECT_FALSE(area_.watch(2));
}

TEST_F(shared_area_test, knows_whether_anyone_watches) {
    doorbell bell;
    EXPECT_FALSE(area_.anyone_watches());
    EXPECT_FALSE(area_.watch(0));
    EXPECT_TRUE(area_.watch(0));
    EXPECT_FALSE(area_.watch(2));
    area_.nudge(0, bell);
    area_.nudge(0, bell);
    EXPECT_TRUE(area_.anyone_watches());
    area_.nudge(2, bell);
    EXPECT_FALSE(area_.anyone_watches());
}

TEST_F(shared_area_test, loses_no_news) {
    // One thread stores and nudges, the other looks, watches and sleeps.
    constexpr std::uint64_t rounds = 20000;
    doorbell bell;
    std::atomic<std::uint64_t> news{0}, seen_news{0};
    std::thread reader{[&] {
        for (std::uint64_t wanted = 1; wanted <= rounds; ++wanted) {
            for (;;) {
                const std::uint32_t value = bell.value();
                if (news.load(std::memory_order_seq_cst) >= wanted) {
                    break;
                }
                if (area_.watch(0)) {
                    bell.sleep(value);
                }
            }
            seen_news.store(wanted, std::memory_order_release);
        }
    }};
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        news.store(round, std::memory_order_seq_cst);
        if (area_.anyone_watches()) {
            area_.nudge(0, bell);
        }
        while (seen_news.load(std::memory_order_acquire) < round) {
            std::this_thread::yield();
        }
    }
    reader.join();
}

} // namespace
} // namespace lisle::fabric::local
