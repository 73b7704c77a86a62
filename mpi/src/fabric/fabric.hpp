// SPDX-License-Identifier: Apache-2.0
// The one interface between the protocol engine and whatever moves packets. A fabric knows nothing of
// matching, ordering between fabrics, requests or flow control: it carries packets of bounded size in
// order from one endpoint to another, may refuse one, and never blocks. Adding a fabric means
// implementing this class; nothing above it changes. What only some can do stands in interfaces of its
// own: remote_memory.hpp, shared_memory.hpp, standstill_note.hpp and, above,
// collective/algorithms/by_fabric.hpp.
//
// A new fabric implements: name, reaches, limits, try_claim, publish, poll, set_congested, arm. One whose
// endpoints have addresses also address and connect; one that does not ring doorbells, waking; one that can
// read and write its peers' memory, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/copy_bytes.hpp"

namespace lisle {
class job_clock;
}

namespace lisle::fabric {

class mailbox_sender;
class mailbox_receiver;
class remote_memory;
class shared_memory;

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
};

enum class claim_result : std::uint8_t {
    claimed,
    full,      ///< no room now, or no connection yet: try again after some progress
    congested, ///< the receiver has asked for no more unexpected data: announce it instead
    failed,    ///< the peer has failed: nothing reaches it any more
};

/// Receives what `fabric::poll` finds. Peers are named by their numbers in the job.
class sink {
  public:
    /// A packet. The payload is valid during the call only.
    /// @param peer who has sent it, as the fabric knows it, whatever the packet says
    virtual void arrived(int peer, const packet_header &header, std::span<const std::byte> payload) = 0;
    /// The peer is dead or cut off for good: it neither sends nor receives from now on. Told once to each
    /// endpoint.
    virtual void peer_failed(int peer) = 0;
    /// True if a posted receive would take this message. Changes nothing. Asked by fabrics that model where
    /// data go, between two looks of the endpoint's owner, by the thread that makes these looks.
    [[nodiscard]] virtual bool awaits([[maybe_unused]] const packet_header &header) { return false; }

  protected:
    ~sink() = default;
};

/// What holds for packets and copies between one pair of ranks.
struct route_limits {
    std::size_t largest_payload; ///< bytes in one packet
    /// Longest message that is better sent before its receive is known, in bytes.
    std::size_t eager = SIZE_MAX;
    /// From this size on, reading the peer's memory may be the fastest way for a message; SIZE_MAX: never.
    std::size_t least_read = SIZE_MAX;
    std::size_t surely_read = 0; ///< from this size on (and from least_read on) it surely is
};

/// How the owner of an endpoint learns of an arrival while it sleeps.
struct waking {
    enum class by : std::uint8_t {
        doorbell,   ///< the owner's doorbell rings (execution/doorbell.hpp)
        descriptor, ///< a file descriptor becomes readable
        polling,    ///< nothing tells: the owner sleeps for short times and polls
    };
    by how = by::doorbell;
    int descriptor = -1;           ///< for by::descriptor; stays the same
    std::uint64_t nanoseconds = 0; ///< for by::polling: the longest sleep between two polls, not 0
    /// What arrives comes from ranks of other jobs, of whose waits this one knows nothing.
    bool from_other_jobs = false;
};

/// What a Sender thread has come upon in a fabric.
enum class send_step : std::uint8_t {
    sent,    ///< a packet, or several: ask again
    nothing, ///< no packet waits
    no_room, ///< packets wait for room
};

/// Where an endpoint is found, in bytes that only its fabric understands. Empty: it need not be said.
using endpoint_address = std::vector<std::byte>;

/// Finds the address of a peer's endpoint, when the first packet is to go there: what a fabric with addresses
/// is given at its construction, by who exchanges them (world's bootstrap). Must not wait: empty, not known
/// yet.
using address_lookup = std::function<endpoint_address(int peer)>;

/// One device or medium, as one process uses it. Its endpoints, one for each rank of the process, and their
/// peers are numbered by the job.
/// Thread-safety: claiming, filling and publishing from any thread; poll, arm and set_congested for one
/// endpoint by one thread at a time (the holder of the engine's lock); the rest from any thread.
class fabric {
  public:
    virtual ~fabric() = default;

    /// True: it reaches nobody any more, and is asked for nothing else.
    [[nodiscard]] virtual bool is_over() const noexcept { return false; }

    /// For messages to users.
    [[nodiscard]] virtual const char *name() const noexcept = 0;

    /// The fabric that does the work, for who asks for interfaces that only some have: this one, unless it
    /// stands around another.
    [[nodiscard]] virtual const fabric &innermost() const noexcept { return *this; }

    // ---- who is reached, and how ----

    [[nodiscard]] virtual bool reaches(int peer) const noexcept = 0;
    /// @pre reaches(peer)
    [[nodiscard]] virtual route_limits limits(int peer) const noexcept = 0;
    /// The address of an own endpoint, to be told to peers.
    [[nodiscard]] virtual endpoint_address address([[maybe_unused]] int self) const { return {}; }
    /// Says where a peer's endpoint is. The connection may be made now or at the first packet; one that comes
    /// to nothing is reported as peer_failed.
    virtual void connect([[maybe_unused]] int peer, [[maybe_unused]] std::span<const std::byte> address) {}

    /// Copies between this process's memory and that of a peer; null: its memory cannot be reached.
    [[nodiscard]] virtual remote_memory *memory([[maybe_unused]] int peer) noexcept { return nullptr; }
    /// The memory that this process and a peer share; null: they are not on one node, or are to behave so.
    [[nodiscard]] virtual shared_memory *node([[maybe_unused]] int peer) noexcept { return nullptr; }
    /// True if addresses of this process mean the same to the peer: it is a rank of this process, and may be
    /// reached past the fabric. False obliges everybody to use packets.
    [[nodiscard]] virtual bool same_address_space([[maybe_unused]] int peer) const noexcept { return false; }

    /// This fabric once more, with endpoints of its own for another track of each rank (protocol/track.hpp):
    /// what uses one never meets what uses the other. Null: there is none. @param track from 1 on
    [[nodiscard]] virtual std::unique_ptr<fabric> on_track([[maybe_unused]] int track) const {
        return nullptr;
    }
    /// The time that the job lives by, if this fabric has one of its own (execution/clock.hpp); null: the
    /// real one.
    [[nodiscard]] virtual job_clock *clock() noexcept { return nullptr; }

    // ---- packets ----

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

    /// Hands at most `most` packets that have arrived at endpoint `self` to `into`, in order of each sender.
    virtual int poll(int self, sink &into, int most) = 0;
    /// Tells senders whether `self` can take data that it has not asked for.
    virtual void set_congested(int self, bool congested) noexcept = 0;

    /// Where packets to `dest` go, if they go through a mailbox in memory: the engine then posts there and
    /// drains its own without calling the fabric for each packet. Null: they go another way.
    [[nodiscard]] virtual mailbox_sender *mailbox_to([[maybe_unused]] int dest) noexcept { return nullptr; }
    /// The same for what arrives at `self`. Used under the rules of `poll`.
    [[nodiscard]] virtual mailbox_receiver *mailbox_of([[maybe_unused]] int self) noexcept { return nullptr; }

    /// Says that endpoint `self` is needed no more: where all of a process's have said so, its end is no
    /// failure to its peers.
    virtual void leave([[maybe_unused]] int self) noexcept {}

    // ---- a Sender thread (protocol/device_threads.hpp) ----

    /// From now on publish() may leave packets to send_some(), which a Sender thread calls; an empty function
    /// ends that. @param call wakes the Sender: called, perhaps with locks held, when something has come to
    /// wait or there is room again; calls nothing of the fabric
    virtual void leave_sending_to([[maybe_unused]] const std::function<void()> &call) {}
    /// Sends some of what waits: peers in turn, and none that has no room holds up the others.
    [[nodiscard]] virtual send_step send_some() noexcept { return send_step::nothing; }

    // ---- sleeping ----

    /// How the owner of `self` is woken. The same for the endpoint's life.
    [[nodiscard]] virtual waking wakes([[maybe_unused]] int self) const noexcept { return {}; }
    /// Announces that the owner of `self` is about to sleep. False: something has arrived or is arriving,
    /// poll again. True: the next arrival wakes it in the way that wakes() says.
    [[nodiscard]] virtual bool arm(int self) noexcept = 0;
};

} // namespace lisle::fabric
