// SPDX-License-Identifier: Apache-2.0
// Whose turn it is where ranks take turns in an order that nothing decides: at the lock of a part of a
// window, and in calls that change the same part and bring what was there.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace lisle::exploration {

/// What a rank asks for its turn at.
struct turn_place {
    std::uint64_t window; ///< the same number at all of its ranks
    int target;           ///< number in the job
    bool keeps;           ///< until it is given back: a lock
    friend bool operator==(const turn_place &, const turn_place &) = default;
    friend bool operator<(const turn_place &a, const turn_place &b) noexcept {
        return std::tie(a.window, a.target, a.keeps) < std::tie(b.window, b.target, b.keeps);
    }
};

class turns {
  public:
    /// Where and by whom: a rank at a line of the program.
    using asker = std::pair<int, const void *>;

    /// Of the next turn there, among all of this target.
    [[nodiscard]] unsigned number_of(const turn_place &at) {
        const auto [found, is_new] = places_.try_emplace(at);
        if (is_new) {
            found->second.index = static_cast<unsigned>(places_.size() - 1);
        }
        return found->second.index * most_turns + found->second.taken + 1;
    }
    [[nodiscard]] bool is_kept(const turn_place &at) const { return kept_.contains(at); }
    /// False: it has had its turn at this line too often while others waited. Else a rank that tries in a
    /// loop would have it for ever.
    [[nodiscard]] bool may_have(const turn_place &at, const asker &by) const {
        const auto found = places_.find(at);
        if (found == places_.end()) {
            return true;
        }
        const auto ahead = found->second.ahead.find(by);
        return ahead == found->second.ahead.end() || ahead->second < most_ahead;
    }
    /// @param others wait
    void give(const turn_place &at, const asker &by, bool others) {
        place &here = places_[at];
        ++here.taken;
        std::erase_if(here.ahead, [&](const auto &each) { return each.first != by; });
        here.ahead[by] = others ? here.ahead[by] + 1 : 0;
        if (at.keeps) {
            kept_[at] = by.first;
        }
    }
    /// @param from a rank, which may not have it
    void take_back(const turn_place &at, int from) {
        if (const auto found = kept_.find(at); found != kept_.end() && found->second == from) {
            kept_.erase(found);
        }
    }

  private:
    static constexpr unsigned most_turns = 1'000'000; ///< of one place, in the numbers
    static constexpr unsigned most_ahead = 4;
    struct place {
        unsigned index = 0;
        unsigned taken = 0;
        std::map<asker, unsigned> ahead{}; ///< turns in a row while others waited
    };
    std::map<turn_place, place> places_;
    std::map<turn_place, int> kept_; ///< by which rank
};

} // namespace lisle::exploration
