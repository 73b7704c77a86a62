// SPDX-License-Identifier: Apache-2.0
// Copies give the same bytes wherever the buffers lie to each other within a page, and write no others.
#include "base/copy_bytes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

TEST(copy_bytes, copies_all_and_only_what_it_is_told_at_every_distance) {
    std::vector<std::byte> from(20000), to(40000);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    for (const std::size_t bytes : {0U, 1U, 2047U, 2048U, 2049U, 2111U, 4096U, 16385U}) {
        for (std::size_t distance = 0; distance < 4096; distance += distance < 70 ? 1 : 61) {
            // The place in `to` that lies `distance` behind from[3], modulo a page.
            const auto gap = static_cast<std::size_t>(from.data() + 3 - to.data()) % 4096;
            const std::size_t place = 8 + (gap + distance + 4096 - 8) % 4096;
            for (const bool past_caches : {false, true}) {
                std::fill(to.begin(), to.end(), std::byte{0xee});
                if (past_caches) {
                    lisle::copy_past_caches(to.data() + place, from.data() + 3, bytes);
                } else {
                    lisle::copy_bytes(to.data() + place, from.data() + 3, bytes);
                }
                ASSERT_TRUE(std::equal(from.begin() + 3,
                                       from.begin() + 3 + static_cast<std::ptrdiff_t>(bytes),
                                       to.begin() + static_cast<std::ptrdiff_t>(place)))
                    << bytes << " bytes, " << distance << " ahead, past caches: " << past_caches;
                ASSERT_EQ(to[place - 1], std::byte{0xee});
                ASSERT_EQ(to[place + bytes], std::byte{0xee});
            }
        }
    }
}
