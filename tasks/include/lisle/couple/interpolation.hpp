// SPDX-License-Identifier: Apache-2.0
// Weights for values at points: bilinear ones, from the elements of the sender's mesh, and those of the
// nearest points. Found in parallel: no rank sees a whole grid, and what comes out does not depend on who has
// what.
//
//     couple::mesh_elements from;
//     from.add(corners);                                   // each of the caller's elements
//     auto made = couple::bilinear_weights(all, from, places, {.period = 2 * pi});
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "lisle/couple/overlap.hpp"
#include "lisle/couple/regridding.hpp"

namespace lisle::couple {

/// A point of the sender's grid as a corner of an element.
struct vertex {
    global_index point = 0;
    corner at;
    bool is_masked = false;
};

/// A triangle or a convex quadrilateral.
struct mesh_element {
    static constexpr std::size_t most_corners = 4;
    std::uint32_t count = 0;
    std::array<vertex, most_corners> corners{}; ///< around the element, in either direction
};

/// Elements that one rank has. Each is one rank's alone, or several ranks' alike.
class mesh_elements {
  public:
    /// One without area may be there, where corners coincide; it contains nothing.
    /// Throws std::invalid_argument unless the corners are 3 or 4, finite, and make a polygon that is convex.
    void add(std::span<const vertex> corners);
    [[nodiscard]] const std::vector<mesh_element> &all() const noexcept { return all_; }

  private:
    std::vector<mesh_element> all_;
};

/// A point of a grid: of the sender's by its number there, of the receiver's by its place in the caller's
/// memory.
struct located_point {
    std::int64_t number = 0;
    corner at;
};

struct interpolation_weights {
    std::vector<weight> weights;      ///< in ascending order of the caller's places and of sources
    std::vector<std::int64_t> missed; ///< the caller's places that get nothing, in ascending order
};

/// What becomes of a point whose element has corners that are masked. If all that count are, it is missed.
enum class masked_corners {
    lose_weight, ///< the others keep theirs, whose sum is then less than 1
    rescale,     ///< the others' sum is made 1
};

struct bilinear_options {
    double period = 0; ///< of x, where the plane is a cylinder; 0: it is none
    masked_corners masked = masked_corners::rescale;
};

/// Collective over the ranks of both grids. In a quadrilateral the weights are those of the map from the unit
/// square, in a triangle its linear ones: exact for fields that are linear in the plane, and of second order.
/// Where no element is, a point is missed; so it may get a nearest one instead.
/// Throws std::invalid_argument, at all ranks the same, if a point is not finite.
[[nodiscard]] interpolation_weights bilinear_weights(MPI_Comm all, const mesh_elements &from,
                                                     std::span<const located_point> to,
                                                     const bilinear_options &how = {});

/// Where distances are taken.
enum class surface {
    plane,  ///< or a cylinder, with a period
    sphere, ///< x is the longitude, y the latitude, in radians; distances are great circles
};

struct nearest_options {
    surface on = surface::sphere;
    double period = 0; ///< of x in the plane, where it is a cylinder; 0: it is none
    int neighbours = 1;
    double power = 1; ///< a neighbour's weight falls with its distance to this power
};

/// Collective over the ranks of both grids. Each point gets of its nearest neighbours, of one alone if that
/// lies where the point does. Of neighbours that are as near the one with the lesser number counts. A point
/// is missed only if the sender has none at all.
/// @param from points that are not masked; each is one rank's
/// Throws std::invalid_argument, at all ranks the same, if a point is not finite or there are no neighbours.
[[nodiscard]] interpolation_weights nearest_weights(MPI_Comm all, std::span<const located_point> from,
                                                    std::span<const located_point> to,
                                                    const nearest_options &how = {});

} // namespace lisle::couple
