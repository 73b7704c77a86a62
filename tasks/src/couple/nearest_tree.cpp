// SPDX-License-Identifier: Apache-2.0
#include "couple/nearest_tree.hpp"

#include <algorithm>

namespace lisle::couple::detail {

namespace {

double square_of_distance(const position &one, const position &other) noexcept {
    double sum = 0;
    for (std::size_t axis = 0; axis != one.size(); ++axis) {
        sum += (one[axis] - other[axis]) * (one[axis] - other[axis]);
    }
    return sum;
}

} // namespace

void nearest_few::meet(const neighbour &other) {
    if (!accepts(other.square)) {
        return;
    }
    if (const auto same = std::ranges::find(all_, other.number, &neighbour::number); same != all_.end()) {
        if (!other.is_nearer(*same)) {
            return;
        }
        all_.erase(same);
    }
    all_.insert(std::ranges::find_if(all_, [&](const neighbour &each) { return other.is_nearer(each); }),
                other);
    all_.resize(std::min(all_.size(), most_));
}

nearest_tree::nearest_tree(const std::vector<placed_point> &points) {
    for (const placed_point &each : points) {
        nodes_.push_back({each, 0});
    }
    halve(nodes_);
}

void nearest_tree::halve(std::span<node> among) {
    if (among.size() < 2) {
        return;
    }
    std::size_t longest = 0;
    double length = -1;
    for (std::size_t axis = 0; axis != position{}.size(); ++axis) {
        const auto [least, greatest] =
            std::ranges::minmax(among, {}, [axis](const node &each) { return each.point.at[axis]; });
        if (const double own = greatest.point.at[axis] - least.point.at[axis]; own > length) {
            longest = axis;
            length = own;
        }
    }
    const std::size_t middle = among.size() / 2;
    std::ranges::nth_element(among, among.begin() + static_cast<std::ptrdiff_t>(middle), {},
                             [longest](const node &each) { return each.point.at[longest]; });
    among[middle].axis = longest;
    halve(among.first(middle));
    halve(among.subspan(middle + 1));
}

void nearest_tree::look(std::span<const node> among, const position &at, nearest_few &found) {
    if (among.empty()) {
        return;
    }
    const std::size_t middle = among.size() / 2;
    const node &root = among[middle];
    found.meet({root.point.number, square_of_distance(root.point.at, at)});
    const double beyond = at[root.axis] - root.point.at[root.axis];
    const auto before = among.first(middle), behind = among.subspan(middle + 1);
    look(beyond < 0 ? before : behind, at, found);
    if (found.accepts(beyond * beyond)) {
        look(beyond < 0 ? behind : before, at, found);
    }
}

} // namespace lisle::couple::detail
