// SPDX-License-Identifier: Apache-2.0
// What one connection has to send. The kernel takes bytes in one order for each connection; what has been
// laid on the wire keeps its place, and before each further part of a copy go all messages that wait. So
// parts are short, and only one is on the wire, but where the kernel takes all that it is offered: there a
// long part is soon gone, and a call of the kernel for each 2 MiB instead of 256 KiB saves a seventh of the
// time.
#pragma once

#include <cstdint>
#include <span>
#include <sys/uio.h>

#include "base/ring.hpp"
#include "fabric/network/tcp/ended_operations.hpp"
#include "fabric/network/tcp/socket_message.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class send_queue {
  public:
    /// Makes room for as many messages as usually wait at most. Throws std::bad_alloc.
    send_queue() {
        wire_.reserve(usual_messages);
        messages_.reserve(usual_messages);
    }
    [[nodiscard]] bool empty() const noexcept { return wire_.empty() && messages_.empty() && bulks_.empty(); }
    [[nodiscard]] bool has_wire() const noexcept { return !wire_.empty(); }

    /// The next one that is added finds room, and so does all that waits when it is laid on the wire.
    /// Throws std::bad_alloc.
    void make_room();

    /// @param sent bytes of it that have gone already, with the header
    /// @param op ends when all of it has gone; null: nothing does
    void add_message(const message_header &header, const memory_runs &payload, std::size_t sent,
                     operation *op) {
        messages_.push_back({header, payload, sizeof header + header.bytes, sent, op, 0});
    }
    /// Several messages. @param rest of them, behind the first one's header
    void add_batch(const message_header &first, const memory_runs &rest) {
        messages_.push_back({first, rest, sizeof first + rest.bytes(), 0, nullptr, 0});
    }
    /// A message without a payload.
    void add(const message_header &header) {
        messages_.push_back({header, {}, sizeof header, 0, nullptr, 0});
    }
    /// A long copy that is sent in parts, so that messages get in between. @param header of the first part
    void add_copy(const message_header &header, const memory_runs &payload, std::size_t bytes) {
        bulks_.push_back({header, payload, bytes, 0});
    }

    /// What the kernel is to take next.
    struct offer {
        std::size_t runs, bytes;
    };
    [[nodiscard]] offer next(std::span<iovec> runs);
    /// The kernel has taken so many bytes of the last offer. True: an operation has ended.
    bool took(const offer &of, std::size_t bytes, ended_operations &ended) noexcept;

    /// True if bytes of the exposed memory of this key wait to be sent.
    [[nodiscard]] bool sends_from(std::uint64_t key) const noexcept;
    /// True if a part of this write waits to be sent.
    [[nodiscard]] bool sends_of(std::uint64_t request) const noexcept;

    /// The connection has ended: nothing will be sent.
    void fail(ended_operations &ended) noexcept;

  private:
    /// As many as a process has buffers to send from, and answers to copies besides.
    static constexpr std::size_t usual_messages = 128;
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
    struct bulk {
        message_header header; ///< of the next part
        memory_runs payload;
        std::size_t bytes, sent;
    };

    void fill_wire();
    void lay(const outgoing &next);
    void lay_part();

    ring<outgoing> wire_;     ///< in the order in which the kernel gets them
    ring<outgoing> messages_; ///< before all bulk that is not on the wire
    ring<bulk> bulks_;
    std::size_t wire_bytes_ = 0; ///< not sent yet
    std::size_t part_ = least_part;
};

} // namespace lisle::fabric::network
