// SPDX-License-Identifier: Apache-2.0
// Numbered frames of a peer that keeps to no rules: what comes early waits, what cannot be is refused.
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>

#include "fabric/network/network_fabric.hpp"
#include "received.hpp"
#include "shuffling_device.hpp"

namespace {

using namespace lisle::fabric;
using namespace lisle::fabric::network;

constexpr job_secret secret{{std::byte{0x12}, std::byte{0x34}}};

job_view view_of(int process) {
    job_view view{.ranks = 2,
                  .processes = 2,
                  .first_rank = process,
                  .rank_count = 1,
                  .process_of = [](int rank) { return rank; },
                  .first_rank_of = [](int other) { return other; },
                  .elsewhere = [process](int rank) { return rank != process; },
                  .secret = secret};
    return view;
}

/// Rank 0 and its device, and frames that are said to be rank 1's.
class frame_order : public testing::Test {
  protected:
    static std::vector<choice> loopback() { return choose_providers({std::string{own_tcp}, "lo"}); }

    void begin(bool in_order) {
        const auto devices = [in_order] { return in_order ? loopback() : shuffled(loopback()); };
        claimed =
            std::make_unique<network_fabric>(devices(), view_of(1), [](int) { return endpoint_address{}; });
        hearing = std::make_unique<network_fabric>(devices(), view_of(0),
                                                   [this](int rank) { return claimed->address(rank); });
        forger = loopback().front().open(secret);
        const endpoint_address whole = hearing->address(0);
        victim = forger->add_peer(std::span{whole}.last(sizeof(sockaddr_in)));
        ASSERT_NE(victim, no_peer);
    }

    void forge(std::uint32_t number, frame::kind what = frame::kind::packet) {
        frame made{};
        made.mark = mark_of(secret);
        made.version = frame::current_version;
        made.what = what;
        made.number = number;
        made.source = 1;
        made.dest = 0;
        made.header.tag = static_cast<int>(number);
        std::array<std::byte, sizeof(frame)> bytes{};
        std::memcpy(bytes.data(), &made, sizeof made);
        struct sent_frame final : operation {
            sent_frame() : operation{kind::send} {}
        } sent;
        std::array<completion, 4> ended{};
        attempt how = attempt::full;
        while (how == attempt::full) {
            how = forger->send(bytes, {}, victim, sent);
            static_cast<void>(forger->take_completions(ended));
            hearing->poll(0, ears, 16);
        }
        ASSERT_NE(how, attempt::refused);
        while (how == attempt::done && forger->take_completions(ended) == 0) {
            hearing->poll(0, ears, 16);
        }
    }

    bool hears(std::size_t packets, std::uint64_t dropped) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        const auto enough = [&] { return ears.packets.size() == packets && hearing->dropped() == dropped; };
        while (!enough() && std::chrono::steady_clock::now() < end) {
            hearing->poll(0, ears, 16);
        }
        // And nothing more.
        for (int look = 0; look != 200; ++look) {
            hearing->poll(0, ears, 16);
        }
        return enough();
    }

    std::unique_ptr<network_fabric> claimed, hearing;
    std::unique_ptr<device> forger;
    peer_number victim = no_peer;
    received ears;
};

TEST_F(frame_order, what_comes_early_waits) {
    begin(false);
    for (const std::uint32_t number : {3U, 2U, 5U}) {
        forge(number);
    }
    EXPECT_TRUE(hears(0, 0));
    forge(1);
    EXPECT_TRUE(hears(3, 0));
    forge(4);
    EXPECT_TRUE(hears(5, 0));
    for (std::size_t at = 0; at != ears.packets.size(); ++at) {
        EXPECT_EQ(ears.packets[at].tag, static_cast<int>(at) + 1);
    }
}

TEST_F(frame_order, a_number_that_cannot_be_is_refused_and_reported_once) {
    begin(false);
    testing::internal::CaptureStderr();
    forge(1);
    EXPECT_TRUE(hears(1, 0));
    forge(1); // a second time
    forge(3);
    forge(3); // the same, while the first one waits
    forge(0); // none
    forge(2 + reorder_buffer<int>::window + 1);
    forge(0x80000000U);
    forge(7, frame::kind::received); // of frames that were never sent
    EXPECT_TRUE(hears(1, 6));
    forge(2);
    EXPECT_TRUE(hears(3, 6));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(log.ends_with("a number that no frame can have now (further ones are not reported)\n"))
        << log;
    EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
}

TEST_F(frame_order, who_delivers_in_order_counts_nothing) {
    begin(true);
    testing::internal::CaptureStderr();
    forge(0);
    forge(0);
    forge(1);
    EXPECT_TRUE(hears(2, 1));
    static_cast<void>(testing::internal::GetCapturedStderr());
}

TEST_F(frame_order, a_gap_that_is_never_filled_keeps_no_more_than_the_window) {
    begin(false);
    testing::internal::CaptureStderr();
    // More of them than there are buffers could not be heard: what is held keeps its own.
    constexpr std::uint32_t early = network_fabric::receive_buffers - 1;
    for (std::uint32_t number = 2; number != 2 + early; ++number) {
        forge(number);
    }
    forge(1000);
    forge(1001);
    EXPECT_TRUE(hears(0, 2));
    forge(1);
    EXPECT_TRUE(hears(1 + early, 2));
    static_cast<void>(testing::internal::GetCapturedStderr());
}

/// Two processes with two rails, of which the first one breaks at its sender in the middle.
/// @param answers false: what the receiver sends by that rail is lost from the beginning
void send_over_a_rail_that_breaks(int after, bool answers) {
    std::vector<shuffling_device *> opened;
    const auto rails = [&opened] {
        std::vector<choice> two;
        for (int rail = 0; rail != 2; ++rail) {
            two.push_back(choose_providers({std::string{own_tcp}, "lo"}).front());
            two.back().open = [&opened, open = std::move(two.back().open)](const job_secret &told) {
                auto made = std::make_unique<shuffling_device>(open(told));
                opened.push_back(made.get());
                return made;
            };
        }
        return two;
    };
    std::vector<std::unique_ptr<network_fabric>> all;
    std::vector<endpoint_address> published; // before anything breaks
    for (const int process : {0, 1}) {
        all.push_back(std::make_unique<network_fabric>(rails(), view_of(process), [&published](int rank) {
            return published[static_cast<std::size_t>(rank)];
        }));
        published.push_back(all.back()->address(process));
    }
    opened.front()->break_after(after);
    if (!answers) {
        opened[2]->lose_what_is_sent();
    }
    constexpr std::size_t packets = 300;
    std::array<received, 2> ears;
    std::size_t sent = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (ears[1].packets.size() != packets && std::chrono::steady_clock::now() < end) {
        packet_slot slot{};
        const std::size_t bytes = sent % 3 == 0 ? 40'000 : 8;
        if (sent != packets && all[0]->try_claim(0, 1, bytes, false, slot) == claim_result::claimed) {
            *slot.header = {7, 0, static_cast<int>(sent), 1, 0, 0, static_cast<std::uint32_t>(bytes)};
            std::memset(slot.payload, static_cast<int>(sent & 0x7fU), bytes);
            all[0]->publish(1, slot);
            ++sent;
        }
        for (const int process : {0, 1}) {
            const auto at = static_cast<std::size_t>(process);
            all[at]->poll(process, ears[at], 16);
        }
    }
    ASSERT_EQ(ears[1].packets.size(), packets);
    for (std::size_t at = 0; at != packets; ++at) {
        ASSERT_EQ(ears[1].packets[at].tag, static_cast<int>(at));
        ASSERT_EQ(ears[1].packets[at].payload.back(), static_cast<std::byte>(at & 0x7fU));
    }
    EXPECT_TRUE(ears[0].failed.empty() && ears[1].failed.empty());
    EXPECT_EQ(all[0]->dropped() + all[1]->dropped(), 0U);
}

TEST(frame_order_over_rails, what_was_held_back_when_a_rail_broke_arrives_once) {
    for (const int after : {2, 7, 40, 100}) {
        send_over_a_rail_that_breaks(after, true);
    }
}

TEST(frame_order_over_rails, what_was_acknowledged_over_a_broken_rail_is_acknowledged_again) {
    for (const int after : {2, 7, 20}) { // while the sender still has room
        send_over_a_rail_that_breaks(after, false);
    }
}

} // namespace
