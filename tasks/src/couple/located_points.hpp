// SPDX-License-Identifier: Apache-2.0
// What all makers of weights between points have in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <lisle/couple/interpolation.hpp>

namespace lisle::couple::detail {

/// The turn of a cylinder that begins at 0. @return x there, in [0, period); x itself if the period is 0
[[nodiscard]] inline double in_first_turn(double x, double period) noexcept {
    if (period == 0) {
        return x;
    }
    const double inside = x - std::floor(x / period) * period;
    return inside < period ? inside : 0; // rounding may reach the period itself
}

/// A sentence about the first point that is not finite; empty: there is none.
[[nodiscard]] std::string what_is_wrong(std::span<const located_point> points);

/// Brings weights into their order, and finds the places of `to` that have none.
[[nodiscard]] interpolation_weights completed(std::vector<weight> weights, std::span<const located_point> to);

} // namespace lisle::couple::detail
