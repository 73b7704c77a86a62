// SPDX-License-Identifier: Apache-2.0
// One device or medium as a process uses it. A fabric knows nothing of matching, ordering between fabrics,
// requests or flow control: it carries packets (packet_carrier.hpp), hands out those that have arrived and
// wakes their receiver (packet_source.hpp). Adding a fabric means implementing this class; nothing above it
// changes. What only some can do stands in interfaces of its own, which a fabric has or lacks:
// mailbox_access.hpp, remote_memory.hpp, shared_memory.hpp, deferred_sending.hpp, standstill_note.hpp,
// execution/clock.hpp and, above, collective/algorithms/by_fabric.hpp. Routes ask for them once; callers hold
// the interface that they use.
//
// A new fabric implements: reaches, limits, try_claim, publish, poll, set_congested, arm. One whose endpoints
// have addresses also address and connect; one that does not ring doorbells, wakes; one that can read and
// write its peers' memory, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fabric/packet_carrier.hpp"
#include "fabric/packet_source.hpp"

namespace lisle {
class job_clock;
}

namespace lisle::fabric {

class deferred_sending;
class mailbox_access;
class remote_memory;
class shared_memory;

/// What holds for packets and copies between one pair of ranks.
struct route_limits {
    std::size_t largest_payload; ///< bytes in one packet
    /// Longest message that is better sent before its receive is known, in bytes.
    std::size_t eager = SIZE_MAX;
    /// From this size on, reading the peer's memory may be the fastest way for a message; SIZE_MAX: never.
    std::size_t least_read = SIZE_MAX;
    std::size_t surely_read = 0; ///< from this size on (and from least_read on) it surely is
};

/// Where an endpoint is found, in bytes that only its fabric understands. Empty: it need not be said.
using endpoint_address = std::vector<std::byte>;

/// Finds the address of a peer's endpoint, when the first packet is to go there: what a fabric with addresses
/// is given at its construction, by who exchanges them (world's bootstrap). Must not wait: empty, not known
/// yet.
using address_lookup = std::function<endpoint_address(int peer)>;

/// One device or medium, as one process uses it. Its endpoints, one for each rank of the process, and their
/// peers are numbered by the job.
/// Thread-safe, but for what packet_source says.
class fabric : public packet_carrier, public packet_source {
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
    /// The first peer from `first` on that it does not reach; `end` at most. One that knows it without
    /// looking at each peer saves a process of a large job much time.
    [[nodiscard]] virtual int reaches_up_to(int first, int end) const noexcept {
        while (first < end && reaches(first)) {
            ++first;
        }
        return first;
    }
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
    /// True if node() is the same for all whom it reaches.
    [[nodiscard]] virtual bool is_of_one_node() const noexcept { return false; }
    /// True if addresses of this process mean the same to the peer: it is a rank of this process, and may be
    /// reached past the fabric. False obliges everybody to use packets. A process's ranks follow each other,
    /// so what holds for two ranks holds for those between them.
    [[nodiscard]] virtual bool same_address_space([[maybe_unused]] int peer) const noexcept { return false; }

    /// The mailboxes that its packets go through; null: they go another way.
    [[nodiscard]] virtual mailbox_access *mailboxes() noexcept { return nullptr; }
    /// Where a Sender thread sends what publish() has left to it; null: publish() leaves nothing.
    [[nodiscard]] virtual deferred_sending *sending() noexcept { return nullptr; }

    /// This fabric once more, with endpoints of its own for another track of each rank (protocol/track.hpp):
    /// what uses one never meets what uses the other. Null: there is none. @param track from 1 on
    [[nodiscard]] virtual std::unique_ptr<fabric> on_track([[maybe_unused]] int track) const {
        return nullptr;
    }
    /// The time that the job lives by, if this fabric has one of its own (execution/clock.hpp); null: the
    /// real one.
    [[nodiscard]] virtual job_clock *clock() noexcept { return nullptr; }

    /// Says that endpoint `self` is needed no more: where all of a process's have said so, its end is no
    /// failure to its peers.
    virtual void leave([[maybe_unused]] int self) noexcept {}
};

} // namespace lisle::fabric
