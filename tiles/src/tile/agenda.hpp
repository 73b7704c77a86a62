// SPDX-License-Identifier: Apache-2.0
// Which tile acts when. Each tile has at most one appointment; a new one replaces it. Appointments of the
// near future lie in a ring of slots, one for each cycle; others in a heap.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "tile/network/parameters.hpp"

namespace lisle::tile {

class agenda {
  public:
    static constexpr cycle never = std::numeric_limits<cycle>::max();

    explicit agenda(int tiles) : due_(static_cast<std::size_t>(tiles), never) {}

    /// @param at not before `now`; never: the tile has no appointment
    void set(int tile, cycle at, cycle now);
    [[nodiscard]] cycle due(int tile) const noexcept { return due_[static_cast<std::size_t>(tile)]; }

    /// Replaces `tiles` by those whose appointment is now, in ascending order, and ends these appointments.
    /// False: there are none.
    bool take(cycle now, std::vector<int> &tiles);
    /// The next appointment from `now` on, or never.
    [[nodiscard]] cycle next(cycle now);

  private:
    static constexpr std::size_t slots = 1024;

    using appointment = std::pair<cycle, int>;
    void take_if_due(int tile, cycle now, std::vector<int> &tiles);

    // Entries that a later appointment has replaced stay in place and are skipped.
    std::vector<cycle> due_;
    std::array<std::vector<int>, slots> near_;
    std::priority_queue<appointment, std::vector<appointment>, std::greater<>> far_;
};

} // namespace lisle::tile
