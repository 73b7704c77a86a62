// SPDX-License-Identifier: Apache-2.0
// Random packets over a network, all of which have to arrive whole and in the order of their pair.
#pragma once

#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tile/network/network.hpp"

namespace lisle::tile {

/// Each packet's first word says who sent it and where it stands in the order of that pair; the others count
/// on.
struct traffic_source {
    int tile;
    int packets_left;
    std::vector<word> sequence; ///< by destination
    std::deque<word> words;     ///< of the packet that is being written

    void make_packet(const mesh_shape &shape, int to, int length) {
        words.push_back(make_header(shape, to, length));
        word next = static_cast<word>(tile) << 24 | (sequence[static_cast<std::size_t>(to)]++ & 0xffffU) << 8;
        words.push_back(next | static_cast<word>(length));
        for (int i = 1; i < length; ++i) {
            words.push_back(++next ^ 0x55000000U);
        }
        --packets_left;
    }
};

/// Checks what arrives at one tile: packets whole, those of one sender in order.
struct traffic_check {
    std::vector<word> expected; ///< by sender: its next sequence number
    word next = 0;
    int left = 0;
    std::int64_t packets = 0;

    [[nodiscard]] bool accepts(word arrived) {
        if (left == 0) {
            word &sequence = expected[arrived >> 24];
            if ((arrived >> 8 & 0xffffU) != (sequence & 0xffffU)) {
                return false;
            }
            ++sequence;
            left = static_cast<int>(arrived & 0xffU) - 1;
            packets += left == 0 ? 1 : 0;
            next = arrived & ~0xffU;
            return true;
        }
        packets += --left == 0 ? 1 : 0;
        return arrived == (++next ^ 0x55000000U);
    }
};

/// Sends packets of random lengths until all have arrived. @param all_to -1: random destinations
inline void run_random_traffic(network &network, int packets_of_each, int all_to, double write_share,
                               double read_share) {
    std::mt19937 random{12345};
    std::uniform_real_distribution<double> chance{0, 1};
    const mesh_shape shape = network.shape();
    const int tiles = shape.tiles();
    std::vector<traffic_source> sources;
    std::vector<traffic_check> checks;
    std::int64_t to_come = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int packets = tile == all_to ? 0 : packets_of_each;
        sources.push_back({tile, packets, std::vector<word>(static_cast<std::size_t>(tiles)), {}});
        checks.push_back({std::vector<word>(static_cast<std::size_t>(tiles)), 0, 0, 0});
        to_come += packets;
    }
    cycle last_progress = 0;
    for (cycle now = 0; to_come > 0; ++now) {
        for (int tile = 0; tile < tiles; ++tile) {
            traffic_source &source = sources[static_cast<std::size_t>(tile)];
            if (source.words.empty() && source.packets_left > 0) {
                const int to = all_to >= 0 ? all_to : static_cast<int>(random() % unsigned(tiles));
                source.make_packet(shape, to, 1 + static_cast<int>(random() % most_payload_words));
            }
            if (!source.words.empty() && network.has_room(tile) && chance(random) < write_share) {
                network.write(tile, source.words.front(), now);
                source.words.pop_front();
            }
            if (network.waiting(tile) != 0 && chance(random) < read_share) {
                traffic_check &check = checks[static_cast<std::size_t>(tile)];
                const std::int64_t before = check.packets;
                ASSERT_TRUE(check.accepts(network.read(tile))) << "at tile " << tile << ", cycle " << now;
                to_come -= check.packets - before;
                last_progress = now;
            }
        }
        network.step(now);
        ASSERT_LT(now - last_progress, 10000) << "nothing arrives any more";
    }
}

} // namespace lisle::tile
