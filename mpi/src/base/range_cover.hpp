// SPDX-License-Identifier: Apache-2.0
// A few ranges of addresses that cover many, for who must ask quickly whether an address may be in one of
// them. Those with the least between them are covered as one. What is removed may stay covered for a while:
// covering all anew costs as much as there are, so it is done as often as half of them have gone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "base/access_filter.hpp"

namespace lisle {

/// Ranges may overlap; each is to be removed as it was added. Not thread-safe.
class range_cover {
  public:
    using range = access_filter::range;

    /// @param most ranges that cover all
    explicit range_cover(std::size_t most) : most_{most} {}

    void add(range added) {
        all_.insert(added);
        few_.insert(std::ranges::upper_bound(few_, added, starts_before{}), added);
        join();
    }
    void remove(range removed) {
        if (const auto found = all_.find(removed); found != all_.end()) {
            all_.erase(found);
            ++removed_;
        }
        if (removed_ > all_.size() / 2) {
            few_.assign(all_.begin(), all_.end());
            join();
            removed_ = 0;
        }
    }
    /// Sorted, with gaps between them.
    [[nodiscard]] std::span<const range> few() const noexcept { return few_; }

  private:
    struct starts_before {
        bool operator()(const range &a, const range &b) const noexcept {
            return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
        }
    };
    /// Joins those of few_ between which the gaps are no longer than `most`.
    void join_across(std::uintptr_t most) {
        auto last = few_.begin();
        for (const range &each : few_) {
            if (each.begin <= last->end || each.begin - last->end <= most) {
                last->end = std::max(last->end, each.end);
            } else {
                *++last = each;
            }
        }
        few_.erase(few_.empty() ? last : last + 1, few_.end());
    }
    void join() {
        join_across(0);
        if (few_.size() <= most_) {
            return;
        }
        std::vector<std::uintptr_t> gaps;
        for (std::size_t at = 1; at != few_.size(); ++at) {
            gaps.push_back(few_[at].begin - few_[at - 1].end);
        }
        const auto longest_joined = gaps.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
        std::ranges::nth_element(gaps, longest_joined, std::greater{});
        join_across(*longest_joined);
    }

    std::size_t most_;
    std::multiset<range, starts_before> all_;
    std::vector<range> few_;
    std::size_t removed_ = 0; ///< since all were covered anew
};

} // namespace lisle
