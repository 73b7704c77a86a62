// SPDX-License-Identifier: Apache-2.0
// What arrives by our own device over TCP. Where a message is to be expected, one call of the system reads
// the header and as much as there is into the buffer that stands ready for the message: so a single message
// lies where it belongs, and what has come behind it is taken from there. Where a copy is under way, one call
// reads the rest of a part into its memory, and the next header. Nothing of a header is believed before it
// has been checked.
#pragma once

#include <array>
#include <span>

#include "fabric/network/tcp/registered_memory.hpp"
#include "fabric/network/tcp/socket_links.hpp"

namespace lisle::fabric::network {

/// Not thread-safe.
class socket_receiver {
  public:
    /// All outlive this.
    socket_receiver(socket_links &links, const link_contents &contents,
                    const registered_memory &memory) noexcept
        : links_{links}, contents_{contents}, memory_{memory} {}

    /// Takes what has arrived, and leaves the answers in the connection's queue. True: bytes have come.
    bool receive_from(socket_link &from) noexcept;

  private:
    using payload = arriving_messages::payload;
    class wanted_bytes;

    void resume(socket_link &from);
    [[nodiscard]] wanted_bytes next_bytes(arriving_messages &in) noexcept;
    [[nodiscard]] bool receive_some(socket_link &from, std::size_t &received);
    [[nodiscard]] std::span<const std::byte> parse(socket_link &from, std::span<const std::byte> bytes);
    void parse_spilled(socket_link &from, const posted_receive &spill, std::size_t bytes);
    [[nodiscard]] bool begin(socket_link &from);
    [[nodiscard]] bool begin_message(socket_link &from);
    [[nodiscard]] bool begin_answer(socket_link &from);
    [[nodiscard]] bool end_request(socket_link &from);
    void begin_payload(socket_link &from, payload what, memory_runs target);
    void arrived(socket_link &from, std::size_t bytes);
    void answer_read(socket_link &from);
    void begin_write(socket_link &from);

    socket_links &links_;
    const link_contents contents_;
    const registered_memory &memory_;
    std::array<std::byte, std::size_t{16} << 10> nowhere_; ///< what is dropped goes here
};

} // namespace lisle::fabric::network
