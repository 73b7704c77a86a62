// SPDX-License-Identifier: Apache-2.0
// One TCP connection of our own device: what of it has come and has been sent. What is done with it is in
// socket_device.hpp.
#pragma once

#include <deque>
#include <vector>

#include "fabric/network/device.hpp"
#include "fabric/network/tcp/socket_message.hpp"

namespace lisle::fabric::network {

/// Where a message may be received to.
struct posted_receive {
    std::span<std::byte> room;
    operation *op = nullptr;
};

struct socket_link {
    enum class stage : std::uint8_t {
        connecting,
        greeting, ///< has said its greeting, and hears none yet
        unnamed,  ///< the same from the other side: somebody has connected
        ready,
        idle,   ///< the other one of two that crossed is used; its end means nothing
        losing, ///< the same, but the other one has not come yet: its end is the peer's
        closed,
    };

    int socket = -1;
    stage is = stage::connecting;
    std::size_t peer = 0;    ///< not of unnamed ones
    std::uint32_t watched{}; ///< events of epoll
    greeting heard{};        ///< the first `heard_bytes` of it
    std::size_t heard_bytes = 0;

    // ---- receiving ----
    enum class payload : std::uint8_t { message, read, write, nothing };
    message_header header{};
    std::size_t header_bytes = 0;    ///< of it, that have come
    payload what{};                  ///< that is coming
    message_header current{};        ///< what that belongs to
    memory_runs target;              ///< of the rest of it; none if it is dropped
    std::size_t missing = 0;         ///< of it
    posted_receive into;             ///< of a message
    std::size_t reads = 0;           ///< that the peer is to answer
    bool writes = false;             ///< the peer is in the middle of a write
    bool write_refused = false;      ///< a part of it was
    bool receiving = false;          ///< answers are sent together, after that
    bool paused = false;             ///< a message has come, and there is no buffer for it
    std::vector<std::byte> leftover; ///< what was read too much then

    // ---- sending ----
    static constexpr std::size_t least_part = std::size_t{256} << 10;
    static constexpr std::size_t most_part = std::size_t{2} << 20;
    /// One message, or a part of a copy.
    struct outgoing {
        message_header header;
        memory_runs payload;
        std::size_t bytes;      ///< with the header
        std::size_t sent;       ///< of these
        operation *op;          ///< ends when it has been sent; null: nothing does
        std::uint64_t from_key; ///< exposed memory that it is sent from, else 0
    };
    /// A long copy that is sent in parts, so that messages get in between.
    struct bulk {
        message_header header; ///< of the next part
        memory_runs payload;
        std::size_t bytes, sent;
    };
    std::deque<outgoing> wire;     ///< in the order in which the kernel gets them
    std::deque<outgoing> messages; ///< before all bulk that is not on the wire
    std::deque<bulk> bulks;
    std::size_t wire_bytes = 0;    ///< not sent yet
    std::size_t part = least_part; ///< see socket_sending.cpp

    [[nodiscard]] bool is_open() const noexcept { return is != stage::closed; }
    [[nodiscard]] bool has_to_send() const noexcept {
        return !wire.empty() || !messages.empty() || !bulks.empty();
    }
    /// What comes next is most likely a copy's.
    [[nodiscard]] bool expects_bulk() const noexcept { return reads != 0 || writes; }
};

} // namespace lisle::fabric::network
