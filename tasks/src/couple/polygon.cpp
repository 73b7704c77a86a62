// SPDX-License-Identifier: Apache-2.0
#include "couple/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "couple/rejection.hpp"

namespace lisle::couple {

namespace {

/// Twice the area of the triangle, negative if its corners go clockwise.
double turn(const corner &a, const corner &b, const corner &c) noexcept {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// From the first corner on, so that large coordinates do not cost digits.
template <class Corners> double area_of(const Corners &corners, std::size_t count) noexcept {
    double sum = 0;
    for (std::size_t at = 1; at + 1 < count; ++at) {
        sum += turn(corners[0], corners[at], corners[at + 1]);
    }
    return sum / 2;
}

bool is_convex(const cell &of) noexcept {
    for (std::size_t at = 0; at != of.count; ++at) {
        const corner &a = of.corners[at], &b = of.corners[(at + 1) % of.count],
                     &c = of.corners[(at + 2) % of.count];
        const double size = std::hypot(b.x - a.x, b.y - a.y) * std::hypot(c.x - b.x, c.y - b.y);
        constexpr double rounding = 1e-12;
        if (turn(a, b, c) < -rounding * size) {
            return false;
        }
    }
    return true;
}

/// What is left of a polygon on the left of a line.
class clipped {
  public:
    explicit clipped(const cell &from) : count_{from.count} {
        std::copy_n(from.corners.begin(), count_, corners_.begin());
    }
    void clip(const corner &from, const corner &to) noexcept {
        const auto before = corners_;
        const std::size_t count = std::exchange(count_, 0);
        for (std::size_t at = 0; at != count; ++at) {
            const corner &here = before[at], &next = before[(at + 1) % count];
            const double side_here = turn(from, to, here), side_next = turn(from, to, next);
            if (side_here >= 0) {
                corners_[count_++] = here;
            }
            if ((side_here > 0 && side_next < 0) || (side_here < 0 && side_next > 0)) {
                const double part = side_here / (side_here - side_next);
                corners_[count_++] = {here.x + part * (next.x - here.x), here.y + part * (next.y - here.y)};
            }
        }
    }
    [[nodiscard]] double area() const noexcept { return area_of(corners_, count_); }

  private:
    std::array<corner, 3 * cell::most_corners> corners_{}; ///< each cut adds at most one
    std::size_t count_;
};

} // namespace

double cell::area() const noexcept {
    return area_of(corners, count);
}

void grid_cells::add(std::int64_t number, std::span<const corner> corners) {
    all_.push_back(detail::checked_polygon("the cell " + std::to_string(number), corners));
    all_.back().number = number;
}

void grid_cells::add_spherical(std::int64_t number, double west, double east, double south, double north) {
    constexpr double half_turn = std::numbers::pi;
    if (!(south <= north && south >= -half_turn / 2 - 1e-12 && north <= half_turn / 2 + 1e-12 &&
          west <= east)) {
        detail::reject("the cell " + std::to_string(number) + " lies between the longitudes " +
                       std::to_string(west) + " and " + std::to_string(east) + " and the latitudes " +
                       std::to_string(south) + " and " + std::to_string(north) +
                       ", which are no ranges in radians");
    }
    const double low = std::sin(south), high = std::sin(north);
    const std::array<corner, 4> corners{corner{west, low}, {east, low}, {east, high}, {west, high}};
    add(number, corners);
}

namespace detail {

bounds bounds_of(const cell &of) noexcept {
    bounds all = bounds::none();
    for (std::size_t at = 0; at != of.count; ++at) {
        all = all.around(of.corners[at].x, of.corners[at].y);
    }
    return all;
}

cell shifted(cell from, double by) noexcept {
    for (std::size_t at = 0; at != from.count; ++at) {
        from.corners[at].x += by;
    }
    return from;
}

cell checked_polygon(const std::string &which, std::span<const corner> corners) {
    if (corners.size() < 3 || corners.size() > cell::most_corners) {
        reject(which + " has " + std::to_string(corners.size()) + " corners, not 3 to " +
               std::to_string(cell::most_corners));
    }
    cell made{0, static_cast<std::uint32_t>(corners.size()), {}};
    std::ranges::copy(corners, made.corners.begin());
    if (std::ranges::any_of(
            corners, [](const corner &each) { return !std::isfinite(each.x) || !std::isfinite(each.y); })) {
        reject(which + " has a corner that is no finite number");
    }
    if (made.area() < 0) {
        std::reverse(made.corners.begin(), made.corners.begin() + made.count);
    }
    if (!is_convex(made)) {
        reject(which + " is not convex");
    }
    return made;
}

double common_area(const cell &one, const cell &other) noexcept {
    clipped left{one};
    for (std::size_t at = 0; at != other.count; ++at) {
        left.clip(other.corners[at], other.corners[(at + 1) % other.count]);
    }
    return std::max(left.area(), 0.0);
}

} // namespace detail

} // namespace lisle::couple
