// SPDX-License-Identifier: Apache-2.0
// UCX's keys to peers' memory. Peers tell each other of memory by a number, and UCX wants its own key to it,
// a few dozen bytes that only mean something at one endpoint: who copies for the first time asks the owner by
// an active message, and the owner answers by another one. Used as the device is: callers take turns.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "fabric/network/device/device.hpp"
#include "fabric/network/ucx/ucx.hpp"

namespace lisle::fabric::network {

/// A key to a peer's memory, or the question for it.
struct remote_key {
    enum class state : std::uint8_t { asked, refused, held };
    state is = state::asked;
    owned_key handle;
    unsigned uses = 0; ///< copies that are under way
};

/// What this process knows of its peers' memory.
class remote_keys {
  public:
    /// Null: it has not been asked for.
    [[nodiscard]] remote_key *find(peer_number owner, std::uint64_t number) noexcept;
    /// One that is asked for now. Throws std::bad_alloc.
    void note_asked(peer_number owner, std::uint64_t number);
    /// The question could not be sent.
    void forget(peer_number owner, std::uint64_t number) noexcept { all_.erase({owner, number}); }
    void clear() noexcept { all_.clear(); }

  private:
    /// So many may be there that nobody uses: memory that its owner has withdrawn is among them.
    static constexpr std::size_t most_kept = 512;

    std::map<std::pair<peer_number, std::uint64_t>, remote_key> all_;
};

} // namespace lisle::fabric::network
