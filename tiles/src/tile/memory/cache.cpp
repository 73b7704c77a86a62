// SPDX-License-Identifier: Apache-2.0
#include "tile/memory/cache.hpp"

#include <algorithm>

namespace lisle::tile {

cache::cache(const parameters &built)
    : ways_{static_cast<std::uint64_t>(built.cache_ways)}, sets_{static_cast<std::uint64_t>(
                                                               built.cache_bytes /
                                                               (built.cache_line * built.cache_ways))},
      entries_(ways_ * sets_) {}

cache::effect cache::access(std::uint64_t line, bool writes) {
    if (sets_ == 0) {
        return {.fetches = !writes, .writes_back = writes};
    }
    const auto set = entries_.begin() + static_cast<std::ptrdiff_t>(line % sets_ * ways_);
    const auto end = set + static_cast<std::ptrdiff_t>(ways_);
    auto found = std::find_if(set, end, [line](const entry &each) { return each.line == line; });
    effect done;
    if (found == end) {
        found = end - 1;
        done = {.fetches = true, .writes_back = found->changed};
        *found = {.line = line};
    }
    found->changed |= writes;
    std::rotate(set, found, found + 1);
    return done;
}

} // namespace lisle::tile
