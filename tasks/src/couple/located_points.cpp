// SPDX-License-Identifier: Apache-2.0
#include "couple/located_points.hpp"

#include <algorithm>
#include <tuple>

namespace lisle::couple::detail {

std::string what_is_wrong(std::span<const located_point> points) {
    for (const located_point &each : points) {
        if (!std::isfinite(each.at.x) || !std::isfinite(each.at.y)) {
            return "the point " + std::to_string(each.number) + " lies at (" + std::to_string(each.at.x) +
                   ", " + std::to_string(each.at.y) + "), which is not finite";
        }
    }
    return {};
}

interpolation_weights completed(std::vector<weight> weights, std::span<const located_point> to) {
    std::ranges::sort(weights, {}, [](const weight &each) {
        return std::tuple{each.place, each.source, each.factor};
    });
    interpolation_weights made{std::move(weights), {}};
    for (const located_point &each : to) {
        if (!std::ranges::binary_search(made.weights, each.number, {}, &weight::place)) {
            made.missed.push_back(each.number);
        }
    }
    std::ranges::sort(made.missed);
    return made;
}

} // namespace lisle::couple::detail
