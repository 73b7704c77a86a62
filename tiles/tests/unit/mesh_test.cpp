// SPDX-License-Identifier: Apache-2.0
// The network alone: hops, buffers, back-pressure, whole packets, order.
#include "tile/network/mesh.hpp"

#include <gtest/gtest.h>

#include "random_traffic.hpp"

namespace lisle::tile {
namespace {

parameters raw(int width = 4, int height = 4) {
    parameters built;
    built.width = width;
    built.height = height;
    return built;
}

/// Steps until a word waits at `tile`; returns the cycle in which it can be read.
cycle cycles_until_arrival(mesh &network, int tile, cycle now) {
    const cycle limit = now + 1000;
    while (network.waiting(tile) == 0 && now < limit) {
        network.step(now);
        ++now;
    }
    return now;
}

TEST(Mesh, AWordTakesACycleForEachHop) {
    for (int to = 0; to < 16; ++to) {
        mesh network{raw()};
        network.write(0, make_header(network.shape(), to, 1), 0);
        network.write(0, 42, 1); // one cycle behind its header, as a core writes
        network.step(0);
        network.step(1);
        const int hops = std::max(1, network.shape().hops(0, to));
        EXPECT_EQ(cycles_until_arrival(network, to, 2), std::max(2, 1 + hops)) << "to tile " << to;
        EXPECT_EQ(network.read(to), 42U);
    }
}

TEST(Mesh, CornerToCornerAddsSixCycles) {
    const mesh_shape shape{4, 4};
    EXPECT_EQ(shape.hops(0, 15), 6);
    mesh network{raw()};
    constexpr cycle written = 100;
    network.write(0, make_header(shape, 15, 1), written - 1);
    network.step(written - 1);
    network.write(0, 7, written);
    EXPECT_EQ(cycles_until_arrival(network, 15, written), written + 6);
}

TEST(Mesh, ALinkCarriesAWordACycle) {
    mesh network{raw()};
    const int last = 3;
    network.write(0, make_header(network.shape(), last, 31), 0);
    std::vector<cycle> read_at;
    word next = 0;
    for (cycle now = 1; now < 60 && read_at.size() < 31; ++now) {
        if (network.waiting(last) != 0) {
            EXPECT_EQ(network.read(last), read_at.size());
            read_at.push_back(now - 1);
        }
        network.step(now - 1);
        if (next < 31 && network.has_room(0)) {
            network.write(0, next, now);
            ++next;
        }
    }
    ASSERT_EQ(read_at.size(), 31U);
    for (std::size_t i = 1; i < read_at.size(); ++i) {
        EXPECT_EQ(read_at[i], read_at[i - 1] + 1);
    }
}

TEST(Mesh, TakesPacketsOf1To31Words) {
    const mesh_shape shape{4, 4};
    EXPECT_NO_THROW(static_cast<void>(make_header(shape, 15, 1)));
    EXPECT_NO_THROW(static_cast<void>(make_header(shape, 15, 31)));
    EXPECT_THROW(static_cast<void>(make_header(shape, 15, 0)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(make_header(shape, 15, 32)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(make_header(shape, 16, 1)), std::invalid_argument);
    EXPECT_EQ(payload_of(make_header(shape, 15, 31)), 31);
}

/// Words of one packet's payload that a sender can write before it stalls, if nobody reads.
int words_held(int to) {
    mesh network{raw()};
    network.write(0, make_header(network.shape(), to, 31), 0);
    int written = 0;
    for (cycle now = 0; now < 200; ++now) {
        network.step(now);
        if (network.has_room(0)) {
            network.write(0, 1, now + 1);
            ++written;
        }
    }
    EXPECT_FALSE(network.active()) << "a network that cannot move has to say so";
    EXPECT_EQ(network.words_under_way(), written);
    return written;
}

TEST(Mesh, NeighboursHoldEightWordsAndStall) {
    EXPECT_EQ(words_held(1), 8);
    EXPECT_EQ(words_held(4), 8);
}

TEST(Mesh, EachFurtherHopHoldsFourMore) {
    EXPECT_EQ(words_held(2), 12);
    EXPECT_EQ(words_held(5), 12);
    EXPECT_EQ(words_held(15), 28);
}

TEST(Mesh, AStalledPacketGoesOnWhenWordsAreRead) {
    mesh network{raw()};
    network.write(0, make_header(network.shape(), 1, 12), 0);
    word next = 0;
    cycle now = 0;
    const auto pass = [&](int cycles) {
        for (int i = 0; i < cycles; ++i) {
            network.step(now++);
            if (next < 12 && network.has_room(0)) {
                network.write(0, next++, now);
            }
        }
    };
    pass(50);
    EXPECT_EQ(next, 8U);
    for (word expected = 0; expected < 12; ++expected) {
        ASSERT_GT(network.waiting(1), 0);
        EXPECT_EQ(network.read(1), expected);
        pass(10);
    }
    EXPECT_EQ(network.words_under_way(), 0);
}

// ---- random traffic ----

TEST(Mesh, PacketsToOneTileArriveWholeAndInOrder) {
    mesh network{raw()};
    run_random_traffic(network, 300, 6, 1.0, 1.0);
    EXPECT_EQ(network.port(6).packets_received, 15 * 300);
}

TEST(Mesh, RandomTrafficArrivesWholeAndInOrder) {
    mesh network{raw(5, 3)};
    run_random_traffic(network, 300, -1, 0.9, 0.8);
}

TEST(Mesh, TrafficPassesWithAnyBuffersAndHeaderDelays) {
    for (const int words : {1, 2, 16}) {
        for (const int delay : {0, 3}) {
            parameters built = raw(3, 3);
            built.link_words = built.port_input_words = built.port_output_words = words;
            built.header_cycles = delay;
            mesh network{built};
            run_random_traffic(network, 60, -1, 1.0, 1.0);
        }
    }
}

TEST(Mesh, ExhaustivelyAMillionPacketsToOneTile) {
    mesh network{raw()};
    run_random_traffic(network, 66'667, 5, 1.0, 1.0);
    EXPECT_GE(network.port(5).packets_received, 1'000'000);
}

} // namespace
} // namespace lisle::tile
