// SPDX-License-Identifier: Apache-2.0
// Packets of bytes over the modelled mesh: whole, in order, in bounded memory, and without deadlock.
#include "tile/fabric/tile_carrier.hpp"

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
    tile_carrier::packet *const packet = over.claim(from, bytes);
    if (packet == nullptr) {
        return false;
    }
    packet->peer = to;
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

// ---- the four ways to write packets ----

constexpr mesh_packets all_packets[] = {mesh_packets::lisle, mesh_packets::v1, mesh_packets::v2,
                                        mesh_packets::v3};

packet_header header_of(int from, std::size_t bytes) {
    constexpr std::uint64_t context = (std::uint64_t{7} << 40) + 96;
    return {context, from + 100, 77, 0, 0, 0, static_cast<std::uint32_t>(bytes)};
}

void send_message(tile_carrier &over, int from, int to, std::size_t bytes, unsigned seed = 0) {
    tile_carrier::packet *const packet = over.claim(from, sizeof(packet_header) + bytes);
    ASSERT_NE(packet, nullptr);
    packet->peer = to;
    const packet_header header = header_of(from, bytes);
    std::memcpy(packet->begin(), &header, sizeof header);
    for (std::size_t i = 0; i < bytes; ++i) {
        packet->begin()[sizeof header + i] = static_cast<std::byte>(seed + i);
    }
    over.send(from, packet);
}

void expect_message(tile_carrier &over, int from, int to, std::size_t bytes, unsigned seed = 0) {
    tile_carrier::packet *const packet = over.arrived(to);
    ASSERT_NE(packet, nullptr);
    ASSERT_EQ(packet->bytes, sizeof(packet_header) + bytes);
    EXPECT_EQ(packet->peer, from);
    const packet_header header = header_of(from, bytes);
    EXPECT_EQ(std::memcmp(packet->begin(), &header, sizeof header), 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        wrong += packet->begin()[sizeof header + i] != static_cast<std::byte>(seed + i) ? 1U : 0U;
    }
    EXPECT_EQ(wrong, 0U);
    over.release(to);
}

TEST(TileCodec, AMessageArrivesWithAllThatItsHeaderSays) {
    for (const mesh_packets packets : all_packets) {
        tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}, packets};
        for (std::size_t bytes = 0; bytes < 300; ++bytes) {
            send_message(over, 3, 12, bytes, static_cast<unsigned>(bytes));
            while (over.arrived(12) == nullptr) {
                ASSERT_TRUE(over.advance());
            }
            expect_message(over, 3, 12, bytes, static_cast<unsigned>(bytes));
        }
    }
}

TEST(TileCodec, RmpisVersionsPutOnTheWireWhatTheThesisImplies) {
    for (const mesh_packets packets : {mesh_packets::v1, mesh_packets::v2, mesh_packets::v3}) {
        for (const std::size_t words : {1U, 70U, 100U, 1000U, 10'000U}) {
            tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}, packets};
            send_message(over, 3, 7, words * 4);
            while (over.arrived(7) == nullptr) {
                ASSERT_TRUE(over.advance());
            }
            const tile::link_traffic busiest = find_busiest_link(over.model().network());
            const auto expected =
                tile::rmpi::count_on_wire(over.codec().format(), static_cast<std::int64_t>(words));
            EXPECT_EQ(over.model().network().port(3).packets_sent, expected.packets)
                << over.codec().format().name;
            EXPECT_EQ(busiest.from, 3);
            EXPECT_EQ(busiest.words, expected.words);
        }
    }
}

TEST(TileCodec, RmpisVersionsRefuseWhatTheirHeadersHaveNoWordFor) {
    packet_header announced = header_of(1, 32);
    announced.kind = 1;
    EXPECT_EQ(mesh_codec{mesh_packets::lisle}.refusal(announced), "");
    EXPECT_EQ((mesh_codec{mesh_packets::v1, true}.refusal(header_of(1, 32))), "");
    EXPECT_NE((mesh_codec{mesh_packets::v3, true}.refusal(header_of(1, 32))), "");
    for (const mesh_packets packets : {mesh_packets::v1, mesh_packets::v2, mesh_packets::v3}) {
        EXPECT_EQ(mesh_codec{packets}.refusal(header_of(1, 32)), "");
        EXPECT_NE(mesh_codec{packets}.refusal(announced).find("standard-mode messages only"),
                  std::string::npos);
    }
}

/// Two ranks send to each other, then take. False: the mesh stands still.
bool finishes_head_to_head(tile_carrier &over, int one, int other, std::size_t bytes) {
    send_message(over, one, other, bytes, 1);
    send_message(over, other, one, bytes, 2);
    while (over.arrived(one) == nullptr || over.arrived(other) == nullptr) {
        if (!over.advance()) {
            return false;
        }
    }
    expect_message(over, one, other, bytes, 1);
    expect_message(over, other, one, bytes, 2);
    return true;
}

TEST(TileCodec, OnlyTheFirstVersionStandsStillHeadToHead) {
    for (const mesh_packets packets : {mesh_packets::v2, mesh_packets::v3}) {
        tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}, packets};
        EXPECT_TRUE(finishes_head_to_head(over, 0, 1, 10'000));
    }
    tile_carrier fits{tile::parameters{}, all_tiles(16), largest, [](int) {}, mesh_packets::v1};
    EXPECT_TRUE(finishes_head_to_head(fits, 0, 1, 12)) << "3 words and 5 of the header are in the buffers";
    tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}, mesh_packets::v1};
    EXPECT_FALSE(finishes_head_to_head(over, 0, 1, 16));
    EXPECT_EQ(explain_standstill(over.model()).ring, (std::vector<int>{0, 1}));
    tile::parameters guarded;
    guarded.watchdog_cycles = 2000;
    tile_carrier freed{guarded, all_tiles(16), largest, [](int) {}, mesh_packets::v1};
    EXPECT_TRUE(finishes_head_to_head(freed, 0, 1, 400));
    EXPECT_GT(freed.model().counts(0).watchdog_words, 0);
}

TEST(TileCodec, LislesHandlerAllocatesNothing) {
    const auto interrupt_cycles = [](mesh_packets packets, std::int64_t allocate_cycles) {
        tile::parameters built;
        built.allocate_cycles = allocate_cycles;
        tile_carrier over{built, all_tiles(16), largest, [](int) {}, packets};
        for (int from = 1; from < 16; ++from) { // more at once than there are buffers at first
            send_message(over, from, 0, 1000);
        }
        for (int left = 15; left > 0;) {
            if (over.arrived(0) != nullptr) {
                over.release(0);
                --left;
            } else if (!over.advance()) {
                ADD_FAILURE() << left << " messages are missing";
                return tile::cycle{-1};
            }
        }
        while (over.advance()) { // until the handler has ended: cycles are booked when a phase ends
        }
        const auto &cycles = over.model().counts(0).cycles;
        return cycles[static_cast<std::size_t>(tile::phase::interrupt)];
    };
    constexpr std::int64_t much = 100'000;
    EXPECT_LT(interrupt_cycles(mesh_packets::lisle, much), much);
    EXPECT_GT(interrupt_cycles(mesh_packets::v3, much), 15 * much) << "rMPI's does, for each message";
}

TEST(TileCodec, ExhaustivelyAllPairsExchangeAMegabyte) {
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    for (const mesh_packets packets : {mesh_packets::v2, mesh_packets::v3}) {
        for (int one = 0; one < 16; ++one) {
            for (int other = one + 1; other < 16; ++other) {
                tile_carrier over{tile::parameters{}, all_tiles(16), largest, [](int) {}, packets};
                EXPECT_TRUE(finishes_head_to_head(over, one, other, megabyte)) << one << " and " << other;
            }
        }
    }
}

} // namespace
} // namespace lisle::fabric
