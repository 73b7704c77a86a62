// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <lisle/couple/interpolation.hpp>

namespace lisle::couple::detail {

/// Coordinates within an element this close to its edge lie on it: what rounding does to large coordinates
/// of small elements.
inline constexpr double edge_tolerance = 1e-10;

/// By corner.
using corner_weights = std::array<double, mesh_element::most_corners>;

/// The weights of an element's corners for a place. Nothing: the element does not contain it.
[[nodiscard]] std::optional<corner_weights> weights_within(const mesh_element &of, const corner &at) noexcept;

} // namespace lisle::couple::detail
