// SPDX-License-Identifier: Apache-2.0
// Pins the sizes of what every message touches: they decide how many cache lines a message costs. A member
// more may be right, but not by accident.
#include <gtest/gtest.h>

#include "fabric/local/mailbox.hpp"
#include "protocol/matching/unexpected.hpp"
#include "protocol/message/operation.hpp"

using namespace lisle;

TEST(sizes, cell_is_one_cache_line) {
    EXPECT_EQ(sizeof(fabric::cell), 64U);
    EXPECT_EQ(alignof(fabric::cell), 64U);
    EXPECT_EQ(sizeof(fabric::packet_header), 24U);
    EXPECT_EQ(fabric::cell::inline_bytes, 32U);
}

TEST(sizes, envelope_is_a_quarter_of_a_line) {
    EXPECT_EQ(sizeof(protocol::envelope), 16U);
}

TEST(sizes, requests_are_a_few_lines) {
    EXPECT_EQ(sizeof(protocol::request), 64U);
    // Whole lines, of which the receive of a short message touches two.
    EXPECT_LE(sizeof(protocol::receive_operation), 256U);
    EXPECT_EQ(alignof(protocol::receive_operation), 64U);
    EXPECT_LE(sizeof(protocol::send_operation), 168U); // three lines
    EXPECT_LE(sizeof(protocol::unexpected_message), 224U);
}
