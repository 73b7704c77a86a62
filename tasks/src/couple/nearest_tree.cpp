// SPDX-License-Identifier: Apache-2.0
#include "couple/nearest_tree.hpp"

#include <algorithm>
#include <utility>

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
        nodes_.push_back({each, each.at, each.at});
    }
    halve(nodes_);
}

void nearest_tree::halve(std::span<node> among) {
    if (among.size() < 2) {
        return;
    }
    position least = among.front().point.at, greatest = least;
    std::size_t longest = 0;
    for (std::size_t axis = 0; axis != least.size(); ++axis) {
        for (const node &each : among) {
            least[axis] = std::min(least[axis], each.point.at[axis]);
            greatest[axis] = std::max(greatest[axis], each.point.at[axis]);
        }
        if (greatest[axis] - least[axis] > greatest[longest] - least[longest]) {
            longest = axis;
        }
    }
    const std::size_t middle = among.size() / 2;
    std::ranges::nth_element(among, among.begin() + static_cast<std::ptrdiff_t>(middle), {},
                             [longest](const node &each) { return each.point.at[longest]; });
    among[middle].least = least;
    among[middle].greatest = greatest;
    halve(among.first(middle));
    halve(among.subspan(middle + 1));
}

double nearest_tree::square_of_distance(std::span<const node> to, const position &from) noexcept {
    if (to.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    const node &root = to[to.size() / 2];
    position inside = from;
    for (std::size_t axis = 0; axis != inside.size(); ++axis) {
        inside[axis] = std::clamp(inside[axis], root.least[axis], root.greatest[axis]);
    }
    return detail::square_of_distance(inside, from);
}

void nearest_tree::look(std::span<const node> among, const position &at, nearest_few &found) {
    if (among.empty()) {
        return;
    }
    const std::size_t middle = among.size() / 2;
    const placed_point &root = among[middle].point;
    found.meet({root.number, detail::square_of_distance(root.at, at)});
    std::array halves{among.first(middle), among.subspan(middle + 1)};
    std::array squares{square_of_distance(halves[0], at), square_of_distance(halves[1], at)};
    if (squares[1] < squares[0]) {
        std::swap(halves[0], halves[1]);
        std::swap(squares[0], squares[1]);
    }
    for (std::size_t half = 0; half != halves.size(); ++half) {
        if (found.accepts(squares[half])) {
            look(halves[half], at, found);
        }
    }
}

} // namespace lisle::couple::detail
