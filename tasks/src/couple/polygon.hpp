// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <lisle/couple/overlap.hpp>

#include "couple/bins.hpp"

namespace lisle::couple::detail {

[[nodiscard]] bounds bounds_of(const cell &of) noexcept;
[[nodiscard]] cell shifted(cell from, double by) noexcept;

/// Throws std::invalid_argument unless the corners are finite and make a convex polygon of a cell's size.
/// @param which what an error calls it @return its corners counter-clockwise
[[nodiscard]] cell checked_polygon(const std::string &which, std::span<const corner> corners);

/// The area that two convex polygons have in common, by Sutherland and Hodgman's clipping (1974).
[[nodiscard]] double common_area(const cell &one, const cell &other) noexcept;

} // namespace lisle::couple::detail
