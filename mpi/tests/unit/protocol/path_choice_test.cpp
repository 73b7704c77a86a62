// SPDX-License-Identifier: Apache-2.0
// The way of long messages: the faster one is found, found again when that changes, and not given up because
// a peer was away once.
#include "protocol/rendezvous/path_choice.hpp"

#include <array>
#include <gtest/gtest.h>

using lisle::protocol::path_choice;

namespace {

/// Sends messages that take the given times for each way. @return how many of them went each way
std::array<int, 2> send(path_choice &choice, int messages, std::array<int, 2> microseconds) {
    std::array<int, 2> count{};
    const std::int64_t begin = 1000;
    for (int i = 0; i < messages; ++i) {
        const auto way = choice.next();
        choice.begin(&count, way, begin);
        choice.end(65536, begin + std::int64_t{microseconds[way]} * 1000);
        ++count[way];
    }
    return count;
}

} // namespace

TEST(path_choice, finds_the_faster_way_and_tries_the_other_now_and_then) {
    path_choice choice;
    const auto first = send(choice, 640, {8, 4});
    EXPECT_GT(first[path_choice::stream], 600);
    EXPECT_GE(first[path_choice::cooperative], 5);
    const auto later = send(choice, 6400, {8, 14});
    EXPECT_GT(later[path_choice::cooperative], 5000);
    EXPECT_GE(later[path_choice::stream], 50);
}

TEST(path_choice, survives_a_peer_that_is_away) {
    path_choice choice;
    send(choice, 640, {8, 4});
    send(choice, 1, {100000, 100000});
    EXPECT_GT(send(choice, 64, {8, 4})[path_choice::stream], 55);
}

TEST(path_choice, measures_one_message_at_a_time) {
    path_choice choice;
    int one = 0, other = 0;
    choice.begin(&one, path_choice::cooperative, 1000);
    choice.begin(&other, path_choice::stream, 1000);
    choice.end(&other, 65536, lisle::real_clock::instance()); // not the measured one: nothing is learnt
    choice.end(&one, 65536, lisle::real_clock::instance());
    EXPECT_EQ(choice.next(), path_choice::stream); // which has not been tried yet
}
