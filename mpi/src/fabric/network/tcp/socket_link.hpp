// SPDX-License-Identifier: Apache-2.0
// One TCP connection of our own device: how far it has come, what of it has arrived and what it has to send.
#pragma once

#include <vector>

#include "fabric/network/device/device.hpp"
#include "fabric/network/tcp/held_messages.hpp"
#include "fabric/network/tcp/posted_receives.hpp"
#include "fabric/network/tcp/send_queue.hpp"
#include "fabric/network/tcp/socket_message.hpp"
#include "tcp/greeting.hpp"
#include "tcp/stream.hpp"

namespace lisle::fabric::network {

/// How much has been received. socket_receiver's.
struct arriving_messages {
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
    bool paused = false;             ///< a message has come, and there is no buffer for it
    std::vector<std::byte> leftover; ///< what was read too much then

    /// What comes next is most likely a copy's.
    [[nodiscard]] bool expects_bulk() const noexcept { return reads != 0 || writes; }
    [[nodiscard]] bool is_writing_to(std::uint64_t key) const noexcept {
        return what == payload::write && missing != 0 && current.key == key;
    }
};

struct socket_link {
    enum class stage : std::uint8_t {
        connecting,
        greeting, ///< has called, and hears whether it is welcome
        ready,
        idle,   ///< the other one of two that crossed is used; its end means nothing
        losing, ///< the same, but the other one has not come yet: its end is the peer's
        closed,
    };

    tcp::stream socket;
    stage is = stage::connecting;
    std::size_t peer = 0;
    std::uint32_t watched{}; ///< events of epoll
    tcp::greeting greeted;
    arriving_messages in;
    send_queue out;
    held_messages held;    ///< empty while anything else waits for the kernel
    unsigned sent_since{}; ///< which look was the last one when a message was sent, see socket_device

    /// True if something waits, for the kernel to take it or for more.
    [[nodiscard]] bool has_to_send() const noexcept {
        return !out.empty() || !held.empty() || socket.has_unsent();
    }
    [[nodiscard]] bool is_open() const noexcept { return is != stage::closed; }
    [[nodiscard]] bool is_ready() const noexcept { return is == stage::ready; }
    /// Has not come to its use yet.
    [[nodiscard]] bool is_unfinished() const noexcept {
        return is == stage::connecting || is == stage::greeting;
    }
};

} // namespace lisle::fabric::network
