// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace lisle {

namespace {

int difference(char a, char b) {
    if (a == b) {
        return 0;
    }
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)) ? 1 : 2;
}

} // namespace

int typing_distance(std::string_view from, std::string_view to) {
    // Three rows of the table of distances between prefixes: a swap looks two rows back.
    std::vector<int> before_last(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
    for (std::size_t j = 0; j <= to.size(); ++j) {
        row[j] = static_cast<int>(2 * j);
    }
    for (std::size_t i = 1; i <= from.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = static_cast<int>(2 * i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            row[j] =
                std::min({last[j - 1] + difference(from[i - 1], to[j - 1]), last[j] + 2, row[j - 1] + 2});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 2);
            }
        }
    }
    return row[to.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    int least = 0;
    for (const auto candidate : candidates) {
        // A beginning of a longer name is a good guess; one letter resembles only itself in the other case.
        const bool beginning = word.size() >= 3 && candidate.starts_with(word);
        const int distance = beginning ? 1 : typing_distance(word, candidate);
        // One slip in a short word, two in a longer one; a word that differs by more is another word.
        const int slips = std::max(2, static_cast<int>(word.size() * 2 / 3));
        const int most = std::min(word.size(), candidate.size()) < 2 ? 1 : slips;
        const bool better =
            best.empty() || distance < least || (distance == least && candidate.size() < best.size());
        if (distance <= most && better) {
            best = candidate;
            least = distance;
        }
    }
    return best;
}

} // namespace lisle
