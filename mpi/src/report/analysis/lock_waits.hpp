// SPDX-License-Identifier: Apache-2.0
// Who has held the locks of windows, to find for whom a call has waited. A rank that gets a lock while
// another one's that excludes it is given up has waited until then: in the call that locks, or in a later one
// of the epoch, since libraries may put a lock off [MPI-5.0 12.5.3].
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace lisle::report {

/// A rank gives a lock up.
struct lock_release {
    std::uint64_t time, ideal;
    int rank, target; ///< -1: those of all
    bool exclusive;
};

class lock_waits {
  public:
    using window = std::pair<std::uint64_t, std::uint64_t>; ///< group, which of its windows

    void locks(window where, int rank, int target, bool exclusive) {
        held_[{where, {rank, target}}] = exclusive;
    }
    /// Whether the rank's lock excludes others; nothing: it has none, or that of all.
    [[nodiscard]] std::optional<bool> held(window where, int rank, int target) const {
        const auto found = held_.find({where, {rank, target}});
        return found == held_.end() ? std::nullopt : std::optional{found->second};
    }
    /// To be called in the order of time.
    void unlocks(window where, int rank, int target, std::uint64_t time, std::uint64_t ideal) {
        const auto exclusive = held(where, rank, target);
        if (!exclusive) {
            return;
        }
        auto &kept = released_[where];
        kept.push_back({time, ideal, rank, target, *exclusive});
        if (kept.size() > most_kept) {
            kept.pop_front();
        }
    }
    /// The call that gives the lock up is over.
    void forget(window where, int rank, int target) { held_.erase({where, {rank, target}}); }
    /// The latest lock of another rank that has excluded one of the caller's, given up after `begun`; null:
    /// none. @param target whose lock the caller needs; -1: all that it has
    [[nodiscard]] const lock_release *awaited(window where, int rank, int target, std::uint64_t begun) const {
        const lock_release *found = nullptr;
        const auto first = held_.lower_bound({where, {rank, std::numeric_limits<int>::min()}});
        for (auto each = first; each != held_.end() && each->first.first == where; ++each) {
            const auto [holder, of] = each->first.second;
            if (holder != rank) {
                break;
            }
            if (of == target || of < 0 || target < 0) {
                const auto *const other = latest(where, rank, of < 0 ? target : of, each->second, begun);
                found = found == nullptr || (other != nullptr && other->time > found->time) ? other : found;
            }
        }
        return found;
    }

  private:
    [[nodiscard]] const lock_release *latest(window where, int rank, int target, bool exclusive,
                                             std::uint64_t begun) const {
        const auto found = released_.find(where);
        if (found == released_.end()) {
            return nullptr;
        }
        for (auto each = found->second.rbegin(); each != found->second.rend() && each->time > begun; ++each) {
            const bool same_target = each->target == target || each->target < 0 || target < 0;
            if (each->rank != rank && same_target && (each->exclusive || exclusive)) {
                return &*each;
            }
        }
        return nullptr;
    }

    static constexpr std::size_t most_kept = 4096; ///< of a window: what was given up during one call
    std::map<std::pair<window, std::pair<int, int>>, bool> held_;
    std::map<window, std::deque<lock_release>> released_;
};

} // namespace lisle::report
