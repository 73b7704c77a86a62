// SPDX-License-Identifier: Apache-2.0
#include "couple/element_map.hpp"

#include <algorithm>
#include <cmath>

namespace lisle::couple::detail {

namespace {

corner from_to(const corner &from, const corner &to) noexcept {
    return {to.x - from.x, to.y - from.y};
}
double cross(const corner &one, const corner &other) noexcept {
    return one.x * other.y - one.y * other.x;
}

/// A coordinate in [0, 1], on the edge where it nearly is. Nothing: it lies outside, or is no number.
std::optional<double> within(double coordinate) noexcept {
    if (!(coordinate >= -edge_tolerance && coordinate <= 1 + edge_tolerance)) {
        return {};
    }
    return coordinate < edge_tolerance ? 0 : coordinate > 1 - edge_tolerance ? 1 : coordinate;
}

std::optional<corner_weights> in_triangle(const mesh_element &of, const corner &at) noexcept {
    const corner &first = of.corners[0].at;
    const corner e = from_to(first, of.corners[1].at), f = from_to(first, of.corners[2].at),
                 h = from_to(first, at);
    const double area = cross(e, f);
    const auto u = within(cross(h, f) / area), v = within(cross(e, h) / area);
    if (!u || !v) {
        return {};
    }
    const auto rest = within(1 - *u - *v);
    if (!rest) {
        return {};
    }
    const double sum = *rest + *u + *v; // not 1 where a coordinate has been moved to the edge
    return corner_weights{*rest / sum, *u / sum, *v / sum, 0};
}

/// The two solutions of a v^2 + b v + c = 0, without cancellation; no numbers if there are none.
std::array<double, 2> roots(double a, double b, double c) noexcept {
    const double square = b * b - 4 * a * c;
    // On the edge of an element whose map folds there, rounding makes it negative.
    const double root = std::sqrt(square < 0 && square > -edge_tolerance * b * b ? 0 : square);
    const double half = -(b + std::copysign(root, b)) / 2;
    return {half == 0 ? 0 : c / half, half / a};
}

/// The map of the unit square onto a quadrilateral is corner + u e + v f + u v g. Without u it is a quadratic
/// equation for v.
std::optional<corner_weights> in_quadrilateral(const mesh_element &of, const corner &at) noexcept {
    const corner &first = of.corners[0].at;
    const corner e = from_to(first, of.corners[1].at), f = from_to(first, of.corners[3].at),
                 h = from_to(first, at), opposite = from_to(of.corners[1].at, of.corners[2].at);
    const corner g = from_to(f, opposite);
    for (const double solution : roots(cross(g, f), cross(e, f) + cross(h, g), cross(h, e))) {
        const auto v = within(solution);
        if (!v) {
            continue;
        }
        const corner along{e.x + *v * g.x, e.y + *v * g.y}, rest{h.x - *v * f.x, h.y - *v * f.y};
        const auto u = within(std::abs(along.x) > std::abs(along.y) ? rest.x / along.x : rest.y / along.y);
        if (u) {
            return corner_weights{(1 - *u) * (1 - *v), *u * (1 - *v), *u * *v, (1 - *u) * *v};
        }
    }
    return {};
}

} // namespace

std::optional<corner_weights> weights_within(const mesh_element &of, const corner &at) noexcept {
    return of.count == 3 ? in_triangle(of, at) : in_quadrilateral(of, at);
}

} // namespace lisle::couple::detail
