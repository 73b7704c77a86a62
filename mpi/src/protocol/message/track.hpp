// SPDX-License-Identifier: Apache-2.0
// Tracks: the communicators of a rank whose threads call at once are spread over a few of them. Each track
// of a rank has an engine with a lock and tables of its own, and mailboxes of its own, so threads that use
// communicators on different tracks do not meet. A context carries its track's number: all members of a
// communicator agree on it when they agree on the context, and nothing else needs to be said.
#pragma once

#include <cstdint>

#include "fabric/track_count.hpp"

namespace lisle::protocol {

inline constexpr unsigned track_shift = 38;

/// The track of all messages with this context.
[[nodiscard]] constexpr int track_of(std::uint64_t context) noexcept {
    static_assert(fabric::most_tracks == 4);
    return static_cast<int>(context >> track_shift & 3U);
}

} // namespace lisle::protocol
