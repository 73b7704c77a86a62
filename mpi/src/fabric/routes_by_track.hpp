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

class joining;

/// Thread-safe.
class routes_by_track {
  public:
    explicit routes_by_track(routes first) noexcept : first_{std::move(first)}, own_peers_{first_.size()} {}

    [[nodiscard]] routes &first() noexcept { return first_; }
    /// True if there are routes to ranks of other jobs, which are on the first track.
    [[nodiscard]] bool reach_other_jobs() const noexcept { return first_.size() > own_peers_; }
    /// How the process meets those of other jobs; null: it cannot.
    [[nodiscard]] joining *meets() const noexcept { return meets_; }
    /// @param how outlives this
    void meet_by(joining &how) noexcept { meets_ = &how; }
    /// Null: not all fabrics have endpoints for this track.
    [[nodiscard]] routes *find(int track);

  private:
    struct sought_routes {
        std::once_flag sought;
        std::optional<routes> found;
    };
    routes first_;
    const int own_peers_;
    joining *meets_ = nullptr;
    std::array<sought_routes, most_tracks - 1> others_;
};

} // namespace lisle::fabric
