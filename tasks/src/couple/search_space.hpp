// SPDX-License-Identifier: Apache-2.0
// Where points lie in space, of which distances are taken, and in the plane that is cut into bins.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include <lisle/couple/interpolation.hpp>

#include "couple/bins.hpp"
#include "couple/located_points.hpp"
#include "couple/nearest_tree.hpp"

namespace lisle::couple::detail {

class search_space {
  public:
    explicit search_space(const nearest_options &how)
        : is_sphere_{how.on == surface::sphere}, period_{is_sphere_ ? 2 * std::numbers::pi : how.period} {}

    /// A sentence about the first point that lies nowhere; empty: there is none.
    [[nodiscard]] std::string what_is_wrong(std::span<const located_point> points) const {
        for (const located_point &each : points) {
            if (is_sphere_ && std::abs(each.at.y) > pole + rounding) {
                return "the point " + std::to_string(each.number) + " lies at the latitude " +
                       std::to_string(each.at.y) + ", which is none in radians";
            }
        }
        return detail::what_is_wrong(points);
    }
    /// On the sphere the unit vector.
    [[nodiscard]] position position_of(const corner &at) const noexcept {
        if (is_sphere_) {
            return {std::cos(at.y) * std::cos(at.x), std::cos(at.y) * std::sin(at.x), std::sin(at.y)};
        }
        return {in_first_turn(at.x, period_), at.y, 0};
    }
    /// The place in the bins' plane: on the sphere the longitude and the sine of the latitude.
    [[nodiscard]] corner in_plane(const corner &at) const noexcept {
        return {in_first_turn(at.x, period_), is_sphere_ ? std::sin(at.y) : at.y};
    }
    /// Calls function(rectangle) for what there is of the bins' plane at most `reach` away from a place.
    template <class Do> void for_areas_around(const corner &at, double reach, const Do &function) const {
        const bounds all =
            (is_sphere_ ? around_on_sphere(at, reach) : bounds{at.x, at.x, at.y, at.y}.wider(reach))
                .wider(rounding * (1 + std::abs(at.x) + std::abs(at.y) + reach));
        if (period_ == 0) {
            function(all);
        } else if (all.east - all.west >= period_) {
            function(bounds{0, period_, all.south, all.north});
        } else {
            const bounds first = all.shifted(in_first_turn(all.west, period_) - all.west);
            function(first);
            if (first.east > period_) {
                function(first.shifted(-period_));
            }
        }
    }
    /// Calls function(position) for a place as its neighbours on all sides see it.
    template <class Do> void for_images_of(const position &at, const Do &function) const {
        function(at);
        if (!is_sphere_ && period_ != 0) {
            function(position{at[0] - period_, at[1], at[2]});
            function(position{at[0] + period_, at[1], at[2]});
        }
    }
    /// From the square of a distance in space, which on the sphere is a chord's.
    [[nodiscard]] double distance_of(double square) const noexcept {
        const double distance = std::sqrt(square);
        return is_sphere_ ? angle_of(distance) : distance;
    }
    /// From one point to the next, where so many fill an area.
    [[nodiscard]] double spacing(const bounds &area, double points) const noexcept {
        if (is_sphere_) {
            return std::sqrt(4 * std::numbers::pi / points);
        }
        const double width = area.east - area.west, height = area.north - area.south;
        return std::max(std::sqrt(width * height / points), std::max(width, height) / points);
    }

  private:
    static constexpr double rounding = 1e-12, pole = std::numbers::pi / 2;
    [[nodiscard]] static double angle_of(double chord) noexcept {
        return 2 * std::asin(std::min(chord / 2, 1.0));
    }
    [[nodiscard]] static bounds around_on_sphere(const corner &at, double chord) noexcept {
        const double angle = angle_of(chord);
        const double south = at.y - angle, north = at.y + angle;
        const bool has_pole = south <= -pole || north >= pole;
        const double beside =
            has_pole ? std::numbers::pi : std::asin(std::min(std::sin(angle) / std::cos(at.y), 1.0));
        return {at.x - beside, at.x + beside, std::sin(std::max(south, -pole)),
                std::sin(std::min(north, pole))};
    }

    bool is_sphere_;
    double period_;
};

} // namespace lisle::couple::detail
