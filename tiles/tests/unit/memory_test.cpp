// SPDX-License-Identifier: Apache-2.0
// Caches and memory of modelled machines, against numbers counted by hand.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tile/memory/memory.hpp"

namespace lisle::tile {
namespace {

/// Two sets of two lines of 64 bytes.
parameters small_machine() {
    parameters built;
    built.cache_bytes = 256;
    built.cache_line = 64;
    built.cache_ways = 2;
    built.dram_cycles = 100;
    built.dram_line_cycles = 10;
    built.dram_misses = 1;
    built.dram_channels = 1;
    return built;
}

TEST(cache, keeps_what_was_used_last_in_each_set) {
    cache held{small_machine()};
    for (const std::uint64_t line : {0U, 2U, 1U, 3U}) {
        EXPECT_TRUE(held.access(line, false).fetches) << line;
    }
    EXPECT_FALSE(held.access(0, false).fetches); // 2 is the older one now
    EXPECT_TRUE(held.access(4, false).fetches);
    EXPECT_FALSE(held.access(0, false).fetches);
    EXPECT_TRUE(held.access(2, false).fetches);
    EXPECT_FALSE(held.access(1, false).fetches); // of the other set
    EXPECT_FALSE(held.access(3, false).fetches);
}

TEST(cache, writes_back_what_was_changed_when_it_gives_way) {
    cache held{small_machine()};
    held.access(0, true);
    held.access(0, false); // stays changed
    held.access(2, false);
    EXPECT_TRUE(held.access(4, false).writes_back);  // 0 gives way
    EXPECT_FALSE(held.access(6, false).writes_back); // 2 does
}

TEST(cache, of_no_bytes_holds_nothing) {
    parameters built = small_machine();
    built.cache_bytes = 0;
    cache none{built};
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(none.access(7, false).fetches);
        EXPECT_TRUE(none.access(7, true).writes_back);
        EXPECT_FALSE(none.access(7, true).fetches);
    }
}

TEST(memory, takes_the_latency_of_each_line_or_the_time_of_the_channel) {
    parameters built = small_machine();
    memory one{built, {0}};
    EXPECT_EQ(one.access(0, 4096, 1, false, 0), 100);
    EXPECT_EQ(one.access(0, 4096 + 63, 1, false, 200), 0);   // the same line
    EXPECT_EQ(one.access(0, 4096 + 63, 2, false, 300), 100); // the end of one, and the next
    EXPECT_EQ(one.access(0, 4096, 0, false, 300), 0);
    EXPECT_EQ(one.access(0, 4096 + 1024, 512, false, 1000), 800);
    built.dram_misses = 16;
    memory wide{built, {0}};
    EXPECT_EQ(wide.access(0, 4096, 512, false, 0), 100);    // eight lines in 80 cycles
    EXPECT_EQ(wide.access(0, 8192, 2048, false, 100), 320); // 32 lines: longer than twice the latency
}

TEST(memory, has_channels_that_serve_one_after_the_other) {
    parameters built = small_machine();
    built.dram_misses = 64;
    built.dram_channels = 2;
    memory both{built, {0, 1, 2}}; // ranks 0 and 2 at one channel
    EXPECT_EQ(both.access(0, 0, 2048, false, 0), 320);
    EXPECT_EQ(both.access(1, 0, 2048, false, 0), 320);
    EXPECT_EQ(both.access(2, 0, 2048, false, 20), 620);
    EXPECT_EQ(both.access(0, 4096, 64, false, 2000), 100); // long after
    EXPECT_NE(both.summary(1280).find(
                  "97 lines used, 100.0% of them fetched, 0 written back; the busiest channel worked in "
                  "50.8% of the cycles"),
              std::string::npos)
        << both.summary(1280);
}

TEST(memory, of_a_host_has_channels_of_its_own) {
    parameters built = small_machine();
    built.grained = static_cast<std::int64_t>(grain::flow);
    built.dram_misses = 64;
    built.dram_channels = 2;
    memory hosts{built, {0, 0, 0, 1}};
    EXPECT_EQ(hosts.access(0, 0, 2048, false, 0), 320);
    EXPECT_EQ(hosts.access(1, 0, 2048, false, 0), 320);
    EXPECT_EQ(hosts.access(3, 0, 2048, false, 0), 320);
    EXPECT_EQ(hosts.access(2, 0, 2048, false, 0), 640); // with the first
}

TEST(memory, does_not_depend_on_where_the_system_puts_pages) {
    const auto took = [](std::uintptr_t first, std::uintptr_t second) {
        memory one{small_machine(), {0}};
        cycle all = 0;
        for (int i = 0; i < 3; ++i) {
            all += one.access(0, first, 128, true, 10'000 * i);
            all += one.access(0, second, 128, false, 10'000 * i + 5000);
        }
        return all;
    };
    EXPECT_EQ(took(0x1000, 0x2000), took(0x7f0000001000, 0x55000));
    EXPECT_EQ(took(0x1000, 0x2000), 400); // both fit: two lines in each set
}

TEST(memory, refuses_caches_of_no_whole_sets) {
    parameters built = small_machine();
    built.cache_bytes = 250;
    EXPECT_THROW(check_memory(built), std::invalid_argument);
    built = small_machine();
    built.cache_line = 48;
    EXPECT_THROW(check_memory(built), std::invalid_argument);
    EXPECT_NO_THROW(check_memory(small_machine()));
    EXPECT_NO_THROW(check_memory(parameters{}));
}

} // namespace
} // namespace lisle::tile
