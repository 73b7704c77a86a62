// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "world/group.hpp"

namespace lisle::protocol {

class engine;

/// One message space as one rank sees it: the context that keeps its messages apart from all others,
/// and who its peers are. A communicator has two: one for the user, one for collectives.
struct channel {
    std::uint64_t context = 0;
    /// The calling rank's own rank in the communicator: what receivers see as the source.
    int self = 0;
    /// The group that destinations and sources are ranks of (the remote one of an
    /// inter-communicator). Owned by the communicator.
    const group *peers = nullptr;
    /// Of a communicator of threads: for each of its ranks the distance of its context from the first one's,
    /// since several of them share a process's mailbox. Null for all others, whose ranks share one context.
    const std::uint64_t *lanes = nullptr;
    /// The calling rank's engine for this context (tracks.hpp).
    engine *home = nullptr;

    /// The context in which `dest` receives. (`context` is where the calling rank does.)
    [[nodiscard]] std::uint64_t context_at(int dest) const noexcept {
        return lanes == nullptr ? context : context + lanes[dest] - lanes[self];
    }
};

/// A channel of the calling rank. Its engine is made if need be.
[[nodiscard]] channel make_channel(std::uint64_t context, int self, const group &peers,
                                   const std::uint64_t *lanes = nullptr);

/// The number in the job of a receive's source among its peers; -1 if it may be any.
[[nodiscard]] inline int peer_named(const group &peers, int source) noexcept {
    return source >= 0 ? peers.member(source) : -1;
}

} // namespace lisle::protocol
