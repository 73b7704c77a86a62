// SPDX-License-Identifier: Apache-2.0
#include "couple/weight_rows.hpp"

#include <algorithm>
#include <tuple>

namespace lisle::couple::detail {

weight_rows::weight_rows(std::vector<weight> weights) {
    const auto order = [](const weight &each) { return std::tuple{each.place, each.source}; };
    if (!std::ranges::is_sorted(weights, {}, order)) {
        std::ranges::stable_sort(weights, {}, order);
    }
    sources_.reserve(weights.size());
    for (const weight &each : weights) {
        sources_.push_back(each.source);
    }
    std::ranges::sort(sources_);
    sources_.erase(std::ranges::unique(sources_).begin(), sources_.end());
    sources_.shrink_to_fit();
    std::size_t rows = 0;
    for (std::size_t at = 0; at != weights.size(); ++at) {
        rows += at == 0 || weights[at - 1].place != weights[at].place ? 1 : 0;
    }
    rows_.reserve(rows);
    named_.reserve(weights.size());
    factors_.reserve(weights.size());
    for (const weight &each : weights) {
        if (rows_.empty() || rows_.back().place != each.place) {
            rows_.push_back({each.place, factors_.size()});
        }
        const auto source = std::ranges::lower_bound(sources_, each.source);
        named_.push_back(static_cast<std::uint32_t>(source - sources_.begin()));
        factors_.push_back(each.factor);
    }
}

std::string what_is_wrong(std::span<const weight> weights, std::int64_t places, global_index grid_points) {
    if (weights.size() > most_weights) {
        return "a rank has " + std::to_string(weights.size()) + " weights of at most " +
               std::to_string(most_weights);
    }
    for (const weight &each : weights) {
        if (each.place < 0 || each.place >= places) {
            return "a weight is for place " + std::to_string(each.place) + " of " + std::to_string(places);
        }
        if (each.source < 0 || each.source >= grid_points) {
            return "a weight is of point " + std::to_string(each.source) + " of a grid of " +
                   std::to_string(grid_points);
        }
    }
    return {};
}

} // namespace lisle::couple::detail
