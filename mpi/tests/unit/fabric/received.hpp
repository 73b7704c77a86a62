// SPDX-License-Identifier: Apache-2.0
// A sink that keeps what a fabric delivers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"

namespace lisle::fabric {

struct received final : sink {
    struct packet {
        int peer;
        int tag;
        std::vector<std::byte> payload;
    };
    std::vector<packet> packets;
    std::vector<int> failed;
    void arrived(int peer, const packet_header &header, std::span<const std::byte> payload) override {
        packets.push_back({peer, header.tag, {payload.begin(), payload.end()}});
    }
    void peer_failed(int peer) override { failed.push_back(peer); }
};

} // namespace lisle::fabric
