// SPDX-License-Identifier: Apache-2.0
// Which of many intervals of addresses meet one, found without looking at the rest. Intervals are kept apart
// by length, up to each power of two, and in the order in which they begin: those of one length that meet a
// given one are neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>

#include "base/access_filter.hpp"

namespace lisle {

/// Intervals with values, of which each pair is there once. Not thread-safe.
template <class Value> class interval_index {
  public:
    using range = access_filter::range;

    /// An empty interval meets nothing and is not kept.
    void add(range where, Value what) {
        if (where.begin < where.end) {
            by_length_[class_of(where)].insert({where.begin, where.end, what});
        }
    }
    void remove(range where, Value what) noexcept {
        if (where.begin < where.end) {
            by_length_[class_of(where)].erase({where.begin, where.end, what});
        }
    }
    /// Calls `function(value)` for each interval that has an address in common with this one.
    template <class Function> void each_meeting(range where, Function function) const {
        for (std::size_t width = 1; width != by_length_.size() && where.begin < where.end; ++width) {
            const std::set<entry> &all = by_length_[width];
            if (all.empty()) {
                continue;
            }
            const std::uintptr_t longest = ~std::uintptr_t{0} >> (bits - width);
            auto each = all.lower_bound({where.begin - std::min(where.begin, longest), 0, Value{}});
            for (; each != all.end() && each->begin < where.end; ++each) {
                if (where.begin < each->end) {
                    function(each->what);
                }
            }
        }
    }

  private:
    static constexpr std::size_t bits = 64;
    struct entry {
        std::uintptr_t begin, end;
        Value what;
        friend auto operator<=>(const entry &, const entry &) = default;
    };
    [[nodiscard]] static std::size_t class_of(range where) noexcept {
        return static_cast<std::size_t>(std::bit_width(where.end - where.begin));
    }

    std::array<std::set<entry>, bits + 1> by_length_; ///< by the bits of the length
};

} // namespace lisle
