// SPDX-License-Identifier: Apache-2.0
// The points nearest to a place: a tree of points, each half of which is in a box of its own (Bentley
// 1975). Boxes tell a place far from all points, as there are in the middle of continents, which few to look
// at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lisle::couple::detail {

using position = std::array<double, 3>;

struct placed_point {
    std::int64_t number = 0;
    position at{};
};

struct neighbour {
    std::int64_t number = 0;
    double square = 0; ///< of its distance
    [[nodiscard]] bool is_nearer(const neighbour &other) const noexcept {
        return square < other.square || (square == other.square && number < other.number);
    }
};

/// The nearest of the neighbours that have been met, each point once, in ascending order of distances.
class nearest_few {
  public:
    /// @param limit squares of distances beyond it do not count
    explicit nearest_few(std::int64_t most, double limit = std::numeric_limits<double>::infinity())
        : most_{static_cast<std::size_t>(most)}, limit_{limit} {}
    void meet(const neighbour &other);
    [[nodiscard]] bool is_full() const noexcept { return all_.size() == most_; }
    /// Whether a point so far away could be among them.
    [[nodiscard]] bool accepts(double square) const noexcept { return square <= limit(); }
    [[nodiscard]] double limit() const noexcept {
        return is_full() && !all_.empty() ? all_.back().square : limit_;
    }
    [[nodiscard]] const std::vector<neighbour> &all() const noexcept { return all_; }

  private:
    std::size_t most_;
    double limit_;
    std::vector<neighbour> all_;
};

class nearest_tree {
  public:
    explicit nearest_tree(const std::vector<placed_point> &points);
    void look_for(const position &at, nearest_few &found) const { look(nodes_, at, found); }

  private:
    /// A point, and the box around it and all of its branches.
    struct node {
        placed_point point;
        position least, greatest;
    };
    static void halve(std::span<node> among);
    static double square_of_distance(std::span<const node> to, const position &from) noexcept;
    static void look(std::span<const node> among, const position &at, nearest_few &found);
    std::vector<node> nodes_; ///< the root is in the middle, its branches are the halves
};

} // namespace lisle::couple::detail
