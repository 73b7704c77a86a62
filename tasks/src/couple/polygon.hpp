// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lisle/couple/overlap.hpp>

namespace lisle::couple::detail {

/// The smallest rectangle around something.
struct bounds {
    double west = 0, east = 0, south = 0, north = 0;
};
[[nodiscard]] bounds bounds_of(const cell &of) noexcept;
[[nodiscard]] cell shifted(cell from, double by) noexcept;

/// The area that two convex polygons have in common, by Sutherland and Hodgman's clipping (1974).
[[nodiscard]] double common_area(const cell &one, const cell &other) noexcept;

} // namespace lisle::couple::detail
