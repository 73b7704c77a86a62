// SPDX-License-Identifier: Apache-2.0
// Packets of bytes over the modelled mesh: whole, in order, in bounded memory, and without deadlock.
#include "fabric/tile/tile_carrier.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace lisle::fabric {
namespace {

constexpr std::size_t largest = 4096;

std::vector<int> all_tiles(int count) {
    std::vector<int> tiles(static_cast<std::size_t>(count));
    std::iota(tiles.begin(), tiles.end(), 0);
    return tiles;
}

bool send(tile_carrier &over, int from, int to, std::size_t bytes, unsigned seed) {
    tile_carrier::packet *const packet = over.claim(from);
    if (packet == nullptr) {
        return false;
    }
    packet->peer = to;
    packet->bytes = bytes;
    for (std::size_t i = 0; i < bytes; ++i) {
        packet->begin()[i] = static_cast<std::byte>(seed + i);
    }
    over.send(from, packet);
    return true;
}

bool is(tile_carrier::packet &packet, std::size_t bytes, unsigned seed) {
    for (std::size_t i = 0; i < bytes; ++i) {
        if (packet.begin()[i] != static_cast<std::byte>(seed + i)) {
            return false;
        }
    }
    return packet.bytes == bytes;
}

TEST(TileCarrier, APacketArrivesInVirtualTime) {
    for (const std::size_t bytes : {1U, 4U, 24U, 116U, 117U, 4096U}) {
        int notified = -1;
        tile_carrier over{tile::parameters{}, all_tiles(16), largest, [&](int rank) { notified = rank; }};
        ASSERT_TRUE(send(over, 0, 15, bytes, 7));
        EXPECT_FALSE(over.caught_up(0));
        while (over.arrived(15) == nullptr) {
            ASSERT_TRUE(over.advance());
        }
        EXPECT_EQ(notified, 15);
        EXPECT_EQ(over.arrived(15)->peer, 0);
        EXPECT_TRUE(is(*over.arrived(15), bytes, 7));
        EXPECT_GT(over.now(), static_cast<tile::cycle>(bytes / 4));
        over.release(15);
        EXPECT_EQ(over.arrived(15), nullptr);
        EXPECT_TRUE(over.caught_up(0));
        EXPECT_FALSE(over.advance());
    }
}

TEST(TileCarrier, WorkTakesItsCyclesAfterWhatWasAskedBefore) {
    tile_carrier over{tile::parameters{}, all_tiles(4), largest, [](int) {}};
    over.work(2, 1000);
    over.work(2, 500);
    while (!over.caught_up(2)) {
        ASSERT_TRUE(over.advance());
    }
    EXPECT_EQ(over.now(), 1500);
}

TEST(TileCarrier, APacketToOneselfDoesNotTouchTheNetwork) {
    tile_carrier over{tile::parameters{}, all_tiles(4), largest, [](int) {}};
    for (unsigned i = 0; i < 20; ++i) {
        ASSERT_TRUE(send(over, 3, 3, 1000, i));
        while (over.arrived(3) == nullptr) {
            ASSERT_TRUE(over.advance());
        }
        EXPECT_TRUE(is(*over.arrived(3), 1000, i));
        over.release(3);
    }
    EXPECT_EQ(over.model().stepped(), 0);
}

TEST(TileCarrier, ASenderHasFewPacketsUnderWayAndAReceiverKeepsFew) {
    tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}};
    unsigned sent = 0;
    for (bool more = true; more;) { // nobody takes anything
        while (send(over, 0, 1, 400, sent)) {
            ++sent;
        }
        more = over.advance();
    }
    EXPECT_LT(sent, 20U);
    for (unsigned taken = 0; taken < sent; ++taken) {
        while (over.arrived(1) == nullptr) {
            ASSERT_TRUE(over.advance());
        }
        EXPECT_TRUE(is(*over.arrived(1), 400, taken));
        over.release(1);
    }
}

/// All ranks send to all others and take what comes, as a program would.
tile::cycle exchange_at_random(int ranks, int messages_of_each) {
    tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}};
    std::mt19937 random{5};
    struct message {
        int to;
        std::size_t bytes;
        unsigned seed;
    };
    std::vector<std::deque<message>> to_send(static_cast<std::size_t>(ranks));
    std::map<std::pair<int, int>, std::deque<message>> expected;
    int left = 0;
    for (int from = 0; from < ranks; ++from) {
        for (int i = 0; i < messages_of_each; ++i) {
            const message made{static_cast<int>(random() % static_cast<unsigned>(ranks)), 1 + random() % 2000,
                               static_cast<unsigned>(random())};
            to_send[static_cast<std::size_t>(from)].push_back(made);
            expected[{from, made.to}].push_back(made);
            ++left;
        }
    }
    while (left > 0) {
        for (int rank = 0; rank < ranks; ++rank) {
            auto &mine = to_send[static_cast<std::size_t>(rank)];
            while (!mine.empty() &&
                   send(over, rank, mine.front().to, mine.front().bytes, mine.front().seed)) {
                mine.pop_front();
            }
            while (tile_carrier::packet *const packet = over.arrived(rank)) {
                auto &in_order = expected[{packet->peer, rank}];
                EXPECT_FALSE(in_order.empty());
                EXPECT_TRUE(is(*packet, in_order.front().bytes, in_order.front().seed));
                in_order.pop_front();
                over.release(rank);
                --left;
            }
        }
        if (left > 0 && !over.advance()) {
            ADD_FAILURE() << "stopped with " << left << " packets to come:\n"
                          << describe(explain_standstill(over.model()));
            break;
        }
    }
    return over.now();
}

TEST(TileCarrier, ManySendersDoNotStopEachOther) {
    const tile::cycle took = exchange_at_random(16, 40);
    EXPECT_EQ(exchange_at_random(16, 40), took) << "runs are deterministic";
}

} // namespace
} // namespace lisle::fabric
