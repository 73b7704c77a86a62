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
            const std::size_t width = class_of(where);
            by_length_[width].insert({where.begin, where.end, what});
            lengths_ |= bit_of(width);
        }
    }
    void remove(range where, Value what) noexcept {
        if (where.begin < where.end) {
            const std::size_t width = class_of(where);
            by_length_[width].erase({where.begin, where.end, what});
            if (by_length_[width].empty()) {
                lengths_ &= ~bit_of(width);
            }
        }
    }
    /// Calls `function(value)` for each interval that has an address in common with this one.
    template <class Function> void each_meeting(range where, Function function) const {
        for (std::uint64_t left = where.begin < where.end ? lengths_ : 0; left != 0; left &= left - 1) {
            const std::size_t width = static_cast<std::size_t>(std::countr_zero(left)) + 1;
            const std::set<entry> &all = by_length_[width];
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

    /// Of those that are so many bits long, at least 1.
    [[nodiscard]] static std::uint64_t bit_of(std::size_t width) noexcept {
        return std::uint64_t{1} << (width - 1);
    }

    std::array<std::set<entry>, bits + 1> by_length_; ///< by the bits of the length
    std::uint64_t lengths_ = 0;                       ///< of which there are any
};

} // namespace lisle
