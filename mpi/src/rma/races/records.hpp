// SPDX-License-Identifier: Apache-2.0
// What a rank keeps of the accesses to its windows while races are looked for.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "execution/rank_local.hpp"
#include "rma/races/access.hpp"

namespace lisle::rma {

class window_members;
struct watching_rank;

/// What has changed between fences is listed up to so many pieces, besides targets that are left out.
inline constexpr std::size_t most_changes = 256;

/// Since when a rank may access a target, and by what.
struct hold {
    epoch_kind kind;
    moment since;
};

/// Own memory that belongs to a window.
struct window_region {
    std::uintptr_t begin, end;
    std::uintptr_t origin; ///< the address of byte 0 of the rank's part
};

/// What a rank knows of one of its windows.
class watched_window {
  public:
    std::vector<access_site> sites;
    std::vector<access_record> fenced;
    std::deque<access_record> others; ///< the oldest first
    std::vector<exclusive_turn> turns;
    bool some_turns_lost = false;
    std::vector<window_region> regions;

    bool between_fences = false;
    bool had_epoch = false;    ///< the rank has been in an epoch
    std::map<int, hold> holds; ///< by target
    std::optional<hold> holds_all;
    std::map<int, moment> posted; ///< by target, when it has exposed its window to this rank
    moment exposed = 0;           ///< when this rank has exposed its own part; 0: it has not
    bool awaits_results = false;
    std::uint64_t heard_before_epoch = 0; ///< of the rank, until the epoch began
    /// The same until there could be accesses that matter: all before a fence are in order with those behind.
    std::uint64_t heard_apart = 0;

    [[nodiscard]] std::int32_t number_of(const access_site &site);
    /// The same of a load or store, which is known by its address. @param name writes its place
    template <class Name> std::int32_t number_of(const void *code, access_kind what, const Name &name) {
        const auto key = std::pair{code, what};
        const auto found = codes_.find(key);
        if (found != codes_.end()) {
            return found->second;
        }
        const std::int32_t number = number_of(name());
        codes_.emplace(key, number);
        return number;
    }
    void keep(const access_record &record, std::size_t most);
    /// A load or store: one that goes on where the same code has left off is one record with that.
    void keep_local(const access_record &record, std::size_t most);
    /// The rank may tell others of what it has completed.
    void tell(moment at) noexcept;
    /// Operations whose requests have ended are complete.
    void end_requests(moment at) noexcept;
    /// Fills in the epoch that the access is in. False: it is in none that is watched.
    [[nodiscard]] bool enter_epoch(access_record &record, std::uint64_t times_heard) const;
    /// Accesses between fences are complete.
    void complete_all(moment at) noexcept;
    /// Which locks of the own part the rank holds. @param record a load or store
    void look_at_holds(access_record &record) const;

    void add_region(const window_region &region);
    /// @param begin where one begins
    void drop_region(std::uintptr_t begin);
    void drop_regions();

    /// A fence has opened an epoch: notes what the own part holds, if no loads and stores are told.
    void remember_content();
    /// Adds what has changed since then. @param about of this rank
    void add_changes(std::vector<access_record> &records, access_record about);
    /// Accesses to a target are not kept.
    void leave_out(int target) { left_out_.insert(target); }

    /// When the rank last may have heard of accesses of others that are kept.
    [[nodiscard]] moment heard(const watching_rank &of) const noexcept;

    /// All records, as far as there is memory for them, which are then forgotten.
    [[nodiscard]] std::vector<access_record> take() noexcept;

  private:
    std::map<std::pair<const void *, access_kind>, std::int32_t> codes_;
    std::vector<std::byte> content_;
    std::set<int> left_out_;           ///< targets
    std::deque<access_record> locals_; ///< the oldest first
    std::size_t told_locals_ = 0;      ///< so many of them, the first ones
};

/// The records of a rank, which its threads share.
struct watching_rank {
    std::mutex mutex; ///< protects all members below; innermost lock
    moment heard = 0;
    std::uint64_t times_heard = 0; ///< how often that has changed
    std::map<const window_members *, watched_window> windows;

    void hear(moment at) noexcept {
        heard = std::max(heard, at);
        ++times_heard;
    }
    void tell(moment at) noexcept {
        for (auto &[window, known] : windows) {
            known.tell(at);
        }
    }
};
inline const rank_local<watching_rank> watching;

} // namespace lisle::rma
