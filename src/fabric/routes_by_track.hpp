// SPDX-License-Identifier: Apache-2.0
// The routes of a process for each track of its ranks (protocol/track.hpp). Those of the first track are
// there from the beginning, others are made at the first request.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "fabric/routes.hpp"
#include "fabric/track_count.hpp"

namespace lisle::fabric {

/// Thread-safe.
class routes_by_track {
  public:
    explicit routes_by_track(routes first) noexcept : first_{std::move(first)} {}

    [[nodiscard]] routes &first() noexcept { return first_; }
    /// Null: not all fabrics have endpoints for this track.
    [[nodiscard]] routes *find(int track);

  private:
    struct sought_routes {
        std::once_flag sought;
        std::optional<routes> found;
    };
    routes first_;
    std::array<sought_routes, most_tracks - 1> others_;
};

} // namespace lisle::fabric
