// SPDX-License-Identifier: Apache-2.0
// What a sender asks of a fabric: to carry packets of bounded size, in order, from one endpoint to another.
// One may be refused; nothing blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/copy_bytes.hpp"

namespace lisle::fabric {

/// What travels with each packet besides its payload. The meaning of all fields but `payload_bytes` is
/// the protocol's.
struct packet_header {
    std::uint64_t context;
    std::int32_t source;
    std::int32_t tag;
    std::uint8_t kind;
    std::uint8_t flags;
    std::uint16_t annotation; ///< of ranks that check, see protocol/message/packet.hpp
    std::uint32_t payload_bytes;
};
static_assert(sizeof(packet_header) == 24);

/// A packet between `try_claim` and `publish`: the caller fills in both parts, straight where the
/// fabric sends from.
struct packet_slot {
    packet_header *header;
    std::byte *payload;
    std::uint64_t token; ///< the fabric's own
    /// Set by the caller: the packet may leave before others to the same peer that wait in the fabric.
    bool may_overtake = false;
    /// Set by the caller: the packet may wait for further ones to the same peer, until somebody polls, for a
    /// millisecond at most.
    bool may_be_held = false;
};

enum class claim_result : std::uint8_t {
    claimed,
    full,      ///< no room now, or no connection yet: try again after some progress
    congested, ///< the receiver has asked for no more unexpected data: announce it instead
    failed,    ///< the peer has failed: nothing reaches it any more
};

/// Thread-safe. Endpoints and their peers are numbered by the job.
class packet_carrier {
  public:
    /// Reserves a packet. A claimed packet must be published soon: those behind it wait.
    /// @param self the sending endpoint @param payload_bytes at most limits(dest).largest_payload
    /// @param solicited false for data that nobody asked for: only that can be `congested`
    [[nodiscard]] virtual claim_result try_claim(int self, int dest, std::size_t payload_bytes,
                                                 bool solicited, packet_slot &slot) noexcept = 0;
    /// Copies the payload of a claimed packet to its slot. (A caller that makes the payload as it goes writes
    /// there itself.)
    virtual void fill([[maybe_unused]] int dest, packet_slot &slot, const void *from,
                      std::size_t bytes) noexcept {
        copy_bytes(slot.payload, from, bytes);
    }
    virtual void publish(int dest, packet_slot &slot) noexcept = 0;

    /// How many packets this process has sent to the peer; 0 where that is not counted.
    [[nodiscard]] virtual std::uint64_t packets_sent_to([[maybe_unused]] int peer) const noexcept {
        return 0;
    }

  protected:
    ~packet_carrier() = default;
};

} // namespace lisle::fabric
