// SPDX-License-Identifier: Apache-2.0
// Where packets from this process to each of its peers go, and what can be done on the way besides: one
// fabric for each pair of ranks, so that the packets between them stay in order. What a route does not offer
// does not exist for its peer, even if it is a rank of this process.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/growing_array.hpp"
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

/// Peers and fabrics are added at the end and stay: pointers to routes hold as long as this object.
/// Thread-safe: any thread may read the routes to peers that it knows of; add() is called by one at a time.
class routes {
  public:
    static constexpr std::size_t most_peers = std::size_t{1} << 20;
    static constexpr std::size_t most_fabrics = std::size_t{1} << 16;

    /// Routes to peers 0 to `peers` - 1. Nothing if one of them is reached by none of the fabrics.
    /// @param fabrics the preferred one first: a peer gets the first that reaches it
    [[nodiscard]] static std::optional<routes> find(std::vector<std::unique_ptr<fabric>> fabrics, int peers);

    /// Adds a fabric, and the peers that follow as far as it reaches them (ranks of other jobs).
    void add(std::unique_ptr<fabric> further);
    [[nodiscard]] int size() const noexcept { return static_cast<int>(to_.size()); }

    [[nodiscard]] const route &to(int peer) const noexcept { return to_[static_cast<std::size_t>(peer)]; }
    /// True if two ranks of this process may reach each other's memory by address, past the fabrics: the same
    /// answer for both, also where packets between them go over different fabrics in the two directions.
    [[nodiscard]] bool share_addresses(int one, int other) const noexcept {
        return to(one).same_address_space && to(other).same_address_space;
    }
    /// By peer: the mailbox that its packets go to, or null (mailbox_access::mailbox_to).
    [[nodiscard]] mailbox_sender *const *mailboxes() const noexcept { return mailboxes_.data(); }
    [[nodiscard]] std::span<fabric *const> fabrics() const noexcept {
        return {fabrics_.data(), fabrics_.size()};
    }

    /// The same fabrics with other endpoints, for another track of each rank; nothing if they have none.
    /// Ranks of other jobs are reached on the first track alone.
    /// @param peers of the own job
    [[nodiscard]] std::optional<routes> on_track(int track, int peers) const;

  private:
    routes() = default;
    void own(std::unique_ptr<fabric> one);
    /// Adds a route to each peer that follows, as long as one of these fabrics reaches it.
    void append(std::span<fabric *const> reaching, int peers);

    std::vector<std::unique_ptr<fabric>> owned_;
    growing_array<fabric *> fabrics_{most_fabrics};
    growing_array<route> to_{most_peers};
    growing_array<mailbox_sender *> mailboxes_{most_peers};
};

/// The memory that all of some ranks share through one fabric; null: they have none in common.
/// @param members range of numbers of ranks in the job
template <class Members>
[[nodiscard]] shared_memory *common_node(const routes &known, const Members &members) {
    shared_memory *common = nullptr;
    for (const int member : members) {
        shared_memory *const node = known.to(member).node;
        if (node == nullptr || (common != nullptr && node != common)) {
            return nullptr;
        }
        common = node;
    }
    return common;
}

} // namespace lisle::fabric
