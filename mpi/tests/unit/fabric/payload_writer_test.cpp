// SPDX-License-Identifier: Apache-2.0
// What is written is what was given, whichever stores write it; and which ones do follows what lines cost.
#include "fabric/local/payload_writer.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "fabric/local/mailbox_layout.hpp"

using lisle::fabric::payload_writer;

namespace {

constexpr std::size_t payload = 16384;

// Nanoseconds for a payload whose lines cost so many each.
constexpr double at(double line_cost) {
    return line_cost * (payload / lisle::fabric::line_bytes);
}

void note(payload_writer &writer, double line_cost, int times) {
    for (int i = 0; i < times; ++i) {
        writer.note(at(line_cost), payload);
    }
}

struct alignas(64) line {
    std::byte bytes[64];
};

} // namespace

TEST(payload_writer, writes_all_and_only_what_it_is_given_near_and_far) {
    std::vector<std::byte> from(20000);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    std::vector<line> room(400);
    std::byte *const to = room.front().bytes;
    for (const bool far : {false, true}) {
        payload_writer writer;
        for (const std::size_t bytes : {0U, 1U, 2047U, 2048U, 2049U, 2111U, 4096U, 16383U, 16384U, 16385U}) {
            for (int time = 0; time < 70; ++time) { // measured and not
                note(writer, far ? 20 : 1, 20);
                ASSERT_EQ(writer.far(), far);
                const auto *const begin = from.data() + time;
                std::fill_n(to, bytes + 100, std::byte{0xee});
                writer.write(to, begin, bytes);
                ASSERT_TRUE(std::equal(to, to + bytes, begin)) << bytes << " bytes, far: " << far;
                ASSERT_EQ(std::count(to + bytes, to + bytes + 100, std::byte{0xee}), 100);
            }
        }
    }
}

TEST(payload_writer, takes_lines_for_near_until_they_have_been_expensive_for_a_while_and_back) {
    payload_writer writer;
    EXPECT_FALSE(writer.far());
    note(writer, 4, 100);
    EXPECT_FALSE(writer.far());
    note(writer, 15, 20);
    EXPECT_TRUE(writer.far());
    note(writer, 4, 20);
    EXPECT_FALSE(writer.far());
}

TEST(payload_writer, does_not_change_its_mind_because_a_writer_lost_its_core_once) {
    payload_writer writer;
    note(writer, 4, 100);
    note(writer, 1e6, 1);
    EXPECT_FALSE(writer.far());
}
