// SPDX-License-Identifier: Apache-2.0
// First-order conservative weights: a cell of the receiver's grid gets of each cell of the sender's as much
// as the two overlap. Cells are convex polygons in a plane of equal areas; those of latitude-longitude grids
// are rectangles in the plane of the longitude and the sine of the latitude. Found in parallel: the plane is
// cut into bins that all ranks share out.
//
//     couple::grid_cells from, to;
//     from.add(number, corners);                           // each of the caller's cells, in the sender's
//     grid to.add(place, corners);                              // and in the receiver's auto made =
//     couple::overlap_weights(all, from, to, couple::normalisation::covered_area, 2 * pi);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "lisle/couple/regridding.hpp"

namespace lisle::couple {

/// A place in the plane.
struct corner {
    double x = 0, y = 0;
};

/// A convex polygon.
struct cell {
    static constexpr std::size_t most_corners = 8;
    std::int64_t number =
        0; ///< of the sender's: in its grid; of the receiver's: the place in the caller's memory
    std::uint32_t count = 0;
    std::array<corner, most_corners> corners{}; ///< counter-clockwise
    [[nodiscard]] double area() const noexcept;
};

/// Cells that one rank has.
class grid_cells {
  public:
    /// @param corners in either direction. Throws std::invalid_argument unless they are 3 to 8, finite, and
    /// make a polygon that is convex
    void add(std::int64_t number, std::span<const corner> corners);
    /// A cell between two longitudes and two latitudes, in radians; the longitudes may lie anywhere.
    void add_spherical(std::int64_t number, double west, double east, double south, double north);
    [[nodiscard]] const std::vector<cell> &all() const noexcept { return all_; }

  private:
    std::vector<cell> all_;
};

/// What a receiver's cell that the sender covers in part gets.
enum class normalisation {
    whole_area,   ///< the mean over all of it, 0 where nothing covers it: integrals agree ("destarea")
    covered_area, ///< the mean over what is covered: constants stay what they are ("fracarea")
};

struct conservative_weights {
    std::vector<weight> weights; ///< of the caller's places, in ascending order of places and sources
    std::vector<double> covered; ///< by the caller's cells in `to`: which part of each is covered
};

/// Collective over the ranks of both grids. Cells that the sender masks are not among its cells.
/// @param period of x, where the plane is a cylinder; 0: it is none
[[nodiscard]] conservative_weights overlap_weights(MPI_Comm all, const grid_cells &from, const grid_cells &to,
                                                   normalisation how, double period = 0);

} // namespace lisle::couple
