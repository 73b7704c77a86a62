// SPDX-License-Identifier: Apache-2.0
// Where packets from this process to each of its peers go, and what can be done on the way besides: one
// fabric for each pair of ranks, so that the packets between them stay in order. What a route does not offer
// does not exist for its peer, even if it is a rank of this process.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/growing_array.hpp"
#include "base/lazy_array.hpp"
#include "fabric/fabric.hpp"

namespace lisle::fabric {

class mailbox_sender;

/// The way to one peer, as all ranks of the process use it. Never changes.
struct route {
    packet_carrier *carrier = nullptr; ///< carries the packets to it
    packet_source *source = nullptr;   ///< brings those from it
    mailbox_sender *mailbox = nullptr; ///< where they go, if through memory; else null
    remote_memory *memory = nullptr;   ///< null: the peer's memory cannot be copied from or to
    shared_memory *node = nullptr;     ///< null: no memory is shared with the peer
    bool same_address_space = false;   ///< addresses may be told, and the peer's state be touched
    route_limits limits{};             ///< with `eager` at most `largest_payload`
};

/// Peers and fabrics are added at the end and stay: pointers to routes hold as long as this object. The route
/// to a peer of the job is made when it is first asked for: a process of a large job talks to few of its
/// peers. Thread-safe: any thread may read the routes to peers that it knows of; add() is called by one at a
/// time.
class routes {
  public:
    static constexpr std::size_t most_peers = std::size_t{1} << 20;
    static constexpr std::size_t most_fabrics = std::size_t{1} << 16;

    /// Routes to peers 0 to `peers` - 1. Nothing if one of them is reached by none of the fabrics.
    /// @param fabrics the preferred one first: a peer gets the first that reaches it
    [[nodiscard]] static std::optional<routes> find(std::vector<std::unique_ptr<fabric>> fabrics, int peers);

    /// Adds a fabric, and the peers that follow as far as it reaches them (ranks of other jobs).
    void add(std::unique_ptr<fabric> further);
    [[nodiscard]] int size() const noexcept {
        const std::size_t stages = stages_.size();
        return stages == 0 ? 0 : stages_[stages - 1].end;
    }

    /// What the routes to the job's own peers have in common, null where they differ.
    [[nodiscard]] const route &common() const noexcept { return common_; }
    [[nodiscard]] const route &to(int peer) const noexcept {
        return to_.get(static_cast<std::size_t>(peer), [this, peer] { return make(peer); });
    }
    /// True if two ranks of this process may reach each other's memory by address, past the fabrics: the same
    /// answer for both, also where packets between them go over different fabrics in the two directions.
    [[nodiscard]] bool share_addresses(int one, int other) const noexcept {
        return to(one).same_address_space && to(other).same_address_space;
    }
    /// By peer: the mailbox that its packets go to (mailbox_access::mailbox_to); null: they go another way,
    /// or nobody has asked for the route yet. Acquire.
    [[nodiscard]] const std::atomic<mailbox_sender *> *mailboxes() const noexcept {
        return mailboxes_.data();
    }
    [[nodiscard]] std::span<fabric *const> fabrics() const noexcept {
        return {fabrics_.data(), fabrics_.size()};
    }

    /// The same fabrics with other endpoints, for another track of each rank; nothing if they have none.
    /// Ranks of other jobs are reached on the first track alone.
    /// @param peers of the own job
    [[nodiscard]] std::optional<routes> on_track(int track, int peers) const;

  private:
    routes() = default;
    /// Peers that were added together, behind those of the stage before.
    struct stage {
        int end;              ///< their last one's number plus one
        std::size_t fabrics;  ///< the first that may reach them
        std::size_t how_many; ///< such fabrics
    };
    void own(std::unique_ptr<fabric> one);
    /// Adds the peers that follow, as far as one of the fabrics from the `first` on reaches them.
    void append(std::size_t first, int peers);
    /// The fabric for a peer. @pre peer < size()
    [[nodiscard]] fabric &reaching(int peer) const noexcept;
    [[nodiscard]] route make(int peer) const noexcept;
    void find_common() noexcept;

    std::vector<std::unique_ptr<fabric>> owned_;
    route common_;
    growing_array<fabric *> fabrics_{most_fabrics};
    growing_array<stage> stages_{most_fabrics};
    lazy_array<route> to_{most_peers};
    growing_array<std::atomic<mailbox_sender *>> mailboxes_{
        most_peers}; ///< with its route, stored with release
};

} // namespace lisle::fabric
