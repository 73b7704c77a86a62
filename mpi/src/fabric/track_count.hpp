// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::fabric {

/// A rank has endpoints for each of its tracks (protocol/track.hpp), of which there are at most so many.
inline constexpr int most_tracks = 4;
/// Where there are many ranks each of them hardly has threads that would need several.
[[nodiscard]] constexpr int tracks_of_job(int ranks) noexcept {
    return ranks <= 64 ? most_tracks : 1;
}

} // namespace lisle::fabric
