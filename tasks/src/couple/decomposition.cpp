// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/decomposition.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "couple/rejection.hpp"

namespace lisle::couple {

using detail::reject;

namespace {

constexpr std::size_t most_dimensions = 3;

/// The part of a grid along each of three dimensions, of which the first ones may have a single point.
struct box {
    std::array<std::int64_t, most_dimensions> grid{1, 1, 1}, begin{0, 0, 0}, extents{1, 1, 1};
};

box checked_box(std::span<const std::int64_t> grid, std::span<const std::int64_t> begin,
                std::span<const std::int64_t> extents) {
    if (grid.empty() || grid.size() > most_dimensions || begin.size() != grid.size() ||
        extents.size() != grid.size()) {
        reject("a block has one to three dimensions, the same number in all its arguments: the grid has " +
               std::to_string(grid.size()) + ", the begin " + std::to_string(begin.size()) +
               ", the extents " + std::to_string(extents.size()));
    }
    box made;
    const std::size_t first = most_dimensions - grid.size();
    for (std::size_t at = 0; at != grid.size(); ++at) {
        if (grid[at] < 0 || begin[at] < 0 || extents[at] < 0 || begin[at] > grid[at] - extents[at]) {
            reject("a block of " + std::to_string(extents[at]) + " points from " + std::to_string(begin[at]) +
                   " on does not lie in a grid of " + std::to_string(grid[at]) + " (dimension " +
                   std::to_string(at) + ")");
        }
        made.grid[first + at] = grid[at];
        made.begin[first + at] = begin[at];
        made.extents[first + at] = extents[at];
    }
    return made;
}

} // namespace

decomposition::decomposition(global_index grid_points) : grid_points_{grid_points} {
    if (grid_points < 0) {
        reject("a grid cannot have " + std::to_string(grid_points) + " points");
    }
}

void decomposition::append(const point_run &next) {
    if (!runs_.empty()) {
        point_run &last = runs_.back();
        if (last.global + last.count == next.global && last.local + last.count == next.local) {
            last.count += next.count;
            return;
        }
    }
    runs_.push_back(next);
}

decomposition decomposition::block(std::span<const std::int64_t> grid, std::span<const std::int64_t> begin,
                                   std::span<const std::int64_t> extents) {
    const box part = checked_box(grid, begin, extents);
    decomposition made{part.grid[0] * part.grid[1] * part.grid[2]};
    if (part.extents[2] != 0) {
        for (std::int64_t plane = 0; plane != part.extents[0]; ++plane) {
            for (std::int64_t row = 0; row != part.extents[1]; ++row) {
                const global_index first =
                    ((part.begin[0] + plane) * part.grid[1] + part.begin[1] + row) * part.grid[2] +
                    part.begin[2];
                made.append({first, made.places_, part.extents[2]});
                made.places_ += part.extents[2];
            }
        }
    }
    return made;
}

decomposition decomposition::list(global_index grid_points, std::span<const global_index> points) {
    decomposition made{grid_points};
    for (const global_index each : points) {
        if (each < 0 || each >= grid_points) {
            reject("there is no point " + std::to_string(each) + " in a grid of " +
                   std::to_string(grid_points));
        }
        made.append({each, made.places_++, 1});
    }
    return made;
}

decomposition decomposition::masked(std::span<const unsigned char> left_out) const {
    if (static_cast<std::int64_t>(left_out.size()) != places_) {
        reject("the mask has " + std::to_string(left_out.size()) + " entries for " + std::to_string(places_) +
               " points");
    }
    decomposition made{grid_points_};
    made.places_ = places_;
    for (const point_run &each : runs_) {
        for (std::int64_t at = 0; at != each.count; ++at) {
            if (left_out[static_cast<std::size_t>(each.local + at)] == 0) {
                made.append({each.global + at, each.local + at, 1});
            }
        }
    }
    return made;
}

std::int64_t decomposition::points() const noexcept {
    std::int64_t sum = 0;
    for (const point_run &each : runs_) {
        sum += each.count;
    }
    return sum;
}

} // namespace lisle::couple
