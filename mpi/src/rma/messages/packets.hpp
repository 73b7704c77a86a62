// SPDX-License-Identifier: Apache-2.0
// Packets about a window, filled in where the fabric sends from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/packet_carrier.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// Bytes that a packet to a member may have.
[[nodiscard]] std::size_t packet_room(const window_members &members, int to) noexcept;

/// A packet between its claim and its publication, which must follow soon.
class outgoing_packet {
  public:
    /// Waits for room; the rank makes progress meanwhile. Throws MPIX_ERR_PROC_FAILED if the member has
    /// failed. @param kind request_packet or reply_packet @param flags which request or reply
    outgoing_packet(const window_members &members, int to, std::uint8_t kind, std::uint8_t flags,
                    std::size_t bytes);
    /// The same without waiting. Nothing: there is no room. @param failed the member has failed: drop it
    [[nodiscard]] static std::optional<outgoing_packet> try_claim(const window_members &members, int to,
                                                                  std::uint8_t kind, std::uint8_t flags,
                                                                  std::size_t bytes, bool &failed);

    void write(std::size_t offset, const void *data, std::size_t bytes) noexcept;
    [[nodiscard]] std::span<std::byte> bytes(std::size_t offset, std::size_t length) noexcept {
        return {slot_.payload + offset, length};
    }
    void publish() noexcept;

  private:
    outgoing_packet(fabric::packet_carrier &carrier, int dest) noexcept : carrier_{&carrier}, dest_{dest} {}
    fabric::claim_result claim(const window_members &members, std::uint8_t kind, std::uint8_t flags,
                               std::size_t bytes) noexcept;

    fabric::packet_carrier *carrier_;
    int dest_;
    fabric::packet_slot slot_{};
};

} // namespace lisle::rma
