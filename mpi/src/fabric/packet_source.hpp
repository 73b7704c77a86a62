// SPDX-License-Identifier: Apache-2.0
// What a receiver asks of a fabric: the packets that have arrived, and to be woken by the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/packet_carrier.hpp"

namespace lisle::fabric {

/// Receives what `packet_source::poll` finds. Peers are named by their numbers in the job.
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

/// Used for one endpoint by one thread at a time (the holder of the engine's lock), but for wakes().
class packet_source {
  public:
    /// Hands at most `most` packets that have arrived at endpoint `self` to `into`, in order of each sender.
    virtual int poll(int self, sink &into, int most) = 0;
    /// Tells senders whether `self` can take data that it has not asked for.
    virtual void set_congested(int self, bool congested) noexcept = 0;

    /// How the owner of `self` is woken. The same for the endpoint's life.
    [[nodiscard]] virtual waking wakes([[maybe_unused]] int self) const noexcept { return {}; }
    /// Announces that the owner of `self` is about to sleep. False: something has arrived or is arriving,
    /// poll again. True: the next arrival wakes it in the way that wakes() says.
    [[nodiscard]] virtual bool arm(int self) noexcept = 0;

  protected:
    ~packet_source() = default;
};

} // namespace lisle::fabric
