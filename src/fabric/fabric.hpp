// SPDX-License-Identifier: Apache-2.0
// The one interface between the protocol engine and whatever moves packets. A fabric knows nothing of
// matching, ordering between fabrics, requests or flow control: it carries packets of bounded size in
// order from one endpoint to another, may refuse one, and never blocks. Adding a fabric means
// implementing this class; nothing above it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <sys/uio.h>

#include "base/copy_bytes.hpp"

namespace lisle {
class shared_heap;
}

namespace lisle::fabric {

/// What travels with each packet besides its payload. The meaning of all fields but `payload_bytes` is
/// the protocol's.
struct packet_header {
    std::uint64_t context;
    std::int32_t source;
    std::int32_t tag;
    std::uint8_t kind;
    std::uint8_t flags;
    std::uint16_t spare;
    std::uint32_t payload_bytes;
};
static_assert(sizeof(packet_header) == 24);

/// A packet between `try_claim` and `publish`: the caller fills in both parts, straight where the
/// fabric sends from.
struct packet_slot {
    packet_header *header;
    std::byte *payload;
    std::uint64_t token; ///< the fabric's own
};

enum class claim_result : std::uint8_t {
    claimed,
    full,      ///< no room now: try again after some progress
    congested, ///< the receiver has asked for no more unexpected data: announce it instead
};

/// Receives packets from `fabric::poll`. The payload is only valid during the call.
class sink {
  public:
    virtual void arrived(const packet_header &header, std::span<const std::byte> payload) = 0;

  protected:
    ~sink() = default;
};

class cooperative_copy;
class mailbox_sender;
class mailbox_receiver;

struct fabric_limits {
    std::size_t largest_payload; ///< bytes in one packet
    std::size_t inline_payload;  ///< up to this size a payload costs no more than an empty packet
    std::size_t least_read;      ///< from this size on, direct copies may be the fastest way for a message
    /// The owner sleeps at most this long when the fabric is in use, in nanoseconds; 0: `arm` makes
    /// sure that the owner's doorbell rings.
    std::uint64_t poll_interval;
    std::size_t surely_read = 0; ///< from this size on (and from least_read on) they surely are
};

/// One device or medium, as one process uses it. Endpoints are numbered by the job's ranks.
/// Thread-safety: claiming and publishing from any thread; poll and arm for one endpoint by one thread
/// at a time (the holder of the engine's lock).
class fabric {
  public:
    virtual ~fabric() = default;

    [[nodiscard]] virtual const char *name() const noexcept = 0;
    [[nodiscard]] virtual const fabric_limits &limits() const noexcept = 0;
    [[nodiscard]] virtual bool reaches(int dest) const noexcept = 0;

    /// Reserves a packet to `dest`. A claimed packet must be published soon: those behind it wait.
    /// @param payload_bytes at most limits().largest_payload
    /// @param solicited false for data that nobody asked for: only that can be `congested`
    [[nodiscard]] virtual claim_result try_claim(int dest, std::size_t payload_bytes, bool solicited,
                                                 packet_slot &slot) noexcept = 0;
    /// Copies the payload of a claimed packet to its slot. (A caller that makes the payload as it goes writes
    /// there itself.)
    virtual void fill(int, packet_slot &slot, const void *from, std::size_t bytes) noexcept {
        copy_bytes(slot.payload, from, bytes);
    }
    virtual void publish(int dest, packet_slot &slot) noexcept = 0;

    /// This fabric once more, with endpoints of its own for another track of each rank (protocol/track.hpp):
    /// what uses one never meets what uses the other. Null: there is none. @param track from 1 on
    [[nodiscard]] virtual std::unique_ptr<fabric> on_track(int) const { return nullptr; }

    /// Hands at most `most` arrived packets of endpoint `self` to `into`, in order of each sender.
    virtual int poll(int self, sink &into, int most) = 0;
    /// Announces that `self` is about to sleep. False: something has arrived or is arriving, poll again.
    /// True: the doorbell of `self` rings at the next arrival.
    [[nodiscard]] virtual bool arm(int self) noexcept = 0;
    /// Tells senders whether `self` can take data that it has not asked for.
    virtual void set_congested(int self, bool congested) noexcept = 0;

    /// Where packets to `dest` go, if they go through a mailbox in memory: the engine then posts there and
    /// drains its own without calling the fabric for each packet. Null: they go another way.
    [[nodiscard]] virtual mailbox_sender *mailbox_to(int) noexcept { return nullptr; }
    /// The same for what arrives at `self`. Used under the rules of `poll`.
    [[nodiscard]] virtual mailbox_receiver *mailbox_of(int) noexcept { return nullptr; }

    /// Copies from the memory of `peer` into `to`, one run of remote memory. False: not possible here
    /// (find another way); once false, always false (but for what can be reached).
    [[nodiscard]] virtual bool read(int peer, std::uint64_t remote_address,
                                    std::span<const iovec> to) noexcept = 0;
    /// Copies to the memory of `peer`, under the same conditions.
    [[nodiscard]] virtual bool write(int, std::uint64_t, std::span<const iovec>) noexcept { return false; }
    /// How endpoint `owner` and others share the work of its copies; null: it copies alone, or not at all.
    [[nodiscard]] virtual cooperative_copy *cooperative_copy_of(int) noexcept { return nullptr; }

    // ---- memory that endpoints share: what a fabric within a node can have, others do without ----

    /// The block of memory under `key`, made and zeroed at the first request. Null: there is none, and this
    /// is the same for all who ask for it; all name one size. Whoever asked, with either answer, says at the
    /// end that it leaves; when all `sharers` have, the key and the memory are free again.
    [[nodiscard]] virtual std::byte *block(std::uint64_t, std::size_t) noexcept { return nullptr; }
    virtual void leave_block(std::uint64_t, int) noexcept {}
    /// After a store to a block, made with sequential consistency, that `dest` may wait for: wakes it if it
    /// sleeps. (Before it does, `arm` has it look once more at what it waits for.)
    virtual void nudge(int) noexcept {}
    /// False: nudge() would do nothing now, for no endpoint. Saves who wants to wake many.
    [[nodiscard]] virtual bool anyone_watches() noexcept { return false; }

    /// The memory of this process that its peers reach by address (fabric/local/shared_heap.hpp); null: there is
    /// none.
    [[nodiscard]] virtual shared_heap *open() noexcept { return nullptr; }
    /// Where bytes at an address of `peer` lie here if they are in such memory; null: they are not.
    [[nodiscard]] virtual std::byte *reach(int, std::uint64_t, std::size_t) noexcept { return nullptr; }

    /// True if the memory of all endpoints' processes can be used with read and write. The first one who asks
    /// finds out, by means of `peer`, and all get the same answer.
    [[nodiscard]] virtual bool memory_open([[maybe_unused]] int peer) noexcept { return false; }
};

} // namespace lisle::fabric
