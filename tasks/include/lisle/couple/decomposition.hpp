// SPDX-License-Identifier: Apache-2.0
// Which points of a grid a rank has, by global index, and where they lie in its memory. Blocks of grids with
// one to three dimensions, and lists of points for everything else; a mask leaves out points but not their
// places in memory.
//
//     // Rows 10 to 19 of a grid with 90 rows and 180 columns.
//     auto mine = couple::decomposition::block({90, 180}, {10, 0}, {10, 180}).masked(is_land);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lisle::couple {

/// The number of a point in its grid, from 0.
using global_index = std::int64_t;

/// Points whose numbers follow each other, and which lie one after the other in a rank's memory.
struct point_run {
    global_index global; ///< the first one's number
    std::int64_t local;  ///< its place in the rank's memory, in points
    std::int64_t count;
    bool operator==(const point_run &) const = default;
};

class decomposition {
  public:
    /// A rank that has nothing of the grid.
    /// @param grid_points of the whole grid, the same at all ranks
    explicit decomposition(global_index grid_points);
    /// The part of a grid from `begin` on, in memory as it lies: the last dimension is dense, as in C.
    /// Throws std::invalid_argument if it does not lie in the grid.
    [[nodiscard]] static decomposition block(std::span<const std::int64_t> grid,
                                             std::span<const std::int64_t> begin,
                                             std::span<const std::int64_t> extents);
    /// The points in the order of the rank's memory. One may occur several times (in a halo, for example).
    /// Throws std::invalid_argument if the grid has no such point.
    [[nodiscard]] static decomposition list(global_index grid_points, std::span<const global_index> points);

    /// The same without the points at the places whose entry is not 0. Their places in memory stay.
    /// Throws std::invalid_argument unless there is an entry for each point in memory.
    [[nodiscard]] decomposition masked(std::span<const unsigned char> left_out) const;

    [[nodiscard]] global_index grid_points() const noexcept { return grid_points_; }
    /// Places in the rank's memory, those of masked points with them.
    [[nodiscard]] std::int64_t places() const noexcept { return places_; }
    /// Points without those that are masked.
    [[nodiscard]] std::int64_t points() const noexcept;
    /// In the order of memory; none touches the next.
    [[nodiscard]] const std::vector<point_run> &runs() const noexcept { return runs_; }

  private:
    void append(const point_run &next);

    global_index grid_points_;
    std::int64_t places_ = 0;
    std::vector<point_run> runs_;
};

} // namespace lisle::couple
