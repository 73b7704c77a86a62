// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <lisle/couple/decomposition.hpp>

namespace lisle::couple::detail {

/// The stretch of a grid's numbers that each rank looks after.
class directory {
  public:
    directory(global_index grid_points, int ranks)
        : stretch_{std::max<global_index>((grid_points + ranks - 1) / ranks, 1)} {}
    [[nodiscard]] int rank_of(global_index point) const { return static_cast<int>(point / stretch_); }
    /// Calls function(rank, part) for each part of a run that one rank looks after.
    template <class Do> void for_parts_of(point_run rest, const Do &function) const {
        while (rest.count != 0) {
            const std::int64_t count = std::min(rest.count, stretch_ - rest.global % stretch_);
            function(rank_of(rest.global), point_run{rest.global, rest.local, count});
            rest = {rest.global + count, rest.local + count, rest.count - count};
        }
    }

  private:
    global_index stretch_;
};

} // namespace lisle::couple::detail
