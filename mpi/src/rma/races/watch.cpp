// SPDX-License-Identifier: Apache-2.0
#include "rma/races/watch.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "collective/selection/check.hpp"
#include "communicator/agreement.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"
#include "protocol/tracks.hpp"
#include "rma/races/report.hpp"
#include "rma/state/window_members.hpp"
#include "world/job.hpp"

namespace lisle::rma {

namespace {

constexpr std::size_t most_pieces_of_access = 64;
constexpr std::size_t most_turns = 16384; ///< exclusive turns that a rank keeps

/// Accesses that a rank keeps. With many ranks fewer, since each rank gets the records of all.
std::size_t most_records(const window_members &members) noexcept {
    return std::clamp<std::size_t>(65536 / static_cast<std::size_t>(members.size()), 64, 4096);
}

struct hold {
    epoch_kind kind;
    moment since;
};

/// What a rank knows of one of its windows.
struct watched_window {
    std::vector<access_site> sites;
    std::vector<access_record> fenced;
    std::deque<access_record> others; ///< the oldest first
    std::vector<exclusive_turn> turns;
    bool some_turns_lost = false;

    bool between_fences = false;
    std::map<int, hold> holds; ///< by target
    std::optional<hold> holds_all;
    std::map<int, moment> posted; ///< by target, when it has exposed its window to this rank
    bool awaits_results = false;

    std::int32_t number_of(const access_site &site) {
        const auto found = std::ranges::find(sites, site);
        const auto number = static_cast<std::int32_t>(found - sites.begin());
        if (found == sites.end()) {
            sites.push_back(site);
        }
        return number;
    }
    void keep(const access_record &record, std::size_t most) {
        if (record.epoch == epoch_kind::fence) {
            if (fenced.size() < most) {
                fenced.push_back(record);
            }
            return;
        }
        if (others.size() == most) {
            if (others.front().told == never) {
                return;
            }
            others.pop_front();
        }
        others.push_back(record);
    }
    /// Fills in the epoch that the access is in. False: it is in none that is watched.
    bool enter_epoch(access_record &record) const {
        if (between_fences) {
            record.epoch = epoch_kind::fence;
            return true;
        }
        if (const auto in = posted.find(record.target); in != posted.end()) {
            record.epoch = epoch_kind::exposure;
            record.opened = in->second;
            return in->second != never;
        }
        const auto found = holds.find(record.target);
        const hold *const held = found != holds.end()    ? &found->second
                                 : holds_all.has_value() ? &*holds_all
                                                         : nullptr;
        if (held == nullptr) {
            return false;
        }
        record.epoch = held->kind;
        record.opened = held->since;
        return true;
    }
};

/// The records of a rank, which its threads share.
struct watching_rank {
    std::mutex mutex; ///< protects all members below; innermost lock
    moment heard = 0;
    std::map<const window_members *, watched_window> windows;

    void hear() noexcept { heard = race_watch::now(); }
    void tell(moment at) noexcept {
        for (auto &[window, known] : windows) {
            for (access_record &each : known.others) {
                if (each.completed != never && each.told == never) {
                    each.told = at;
                }
            }
        }
    }
};
const rank_local<watching_rank> watching;

/// The calling rank's records of a window, with the lock held.
class locked_watch {
  public:
    explicit locked_watch(const window_members &members)
        : rank_{*watching}, guard_{rank_.mutex}, of_{rank_.windows.at(&members)} {}
    [[nodiscard]] watching_rank &rank() const noexcept { return rank_; }
    watched_window *operator->() const noexcept { return &of_; }

  private:
    watching_rank &rank_;
    std::scoped_lock<std::mutex> guard_;
    watched_window &of_;
};

void check_records(const window_members &members, const std::vector<access_record> &records) {
    for (const access_record &each : records) {
        if (each.origin < 0 || each.origin >= members.size() || each.target < 0 ||
            each.target >= members.size()) {
            fail(MPI_ERR_OTHER, "a peer tells of an access by rank ", each.origin, " to rank ", each.target,
                 " of a window that has ", members.size());
        }
    }
}

/// @param space of fences, or of the window's end: so a fence does not match MPI_Win_free
party all_of(const window_members &members, message_space space) {
    communicator &comm = members.comm();
    return party{comm.channel(space), comm.next_agreement_tag()};
}

void name_races(const window_members &members, const party &ranks, std::span<const access_record> own,
                std::span<const exclusive_turn> turns, const std::vector<access_site> &sites) {
    const auto size = static_cast<std::size_t>(members.size());
    std::vector<access_record> records = ranks.allgather_lists(own, most_records(members) * size);
    check_records(members, records);
    std::vector<exclusive_turn> all_turns = ranks.allgather_lists(turns, most_turns * size);
    report_races(members, ranks, find_races(records, all_turns), sites);
}

} // namespace

bool race_watch::watched() noexcept {
    return checks(check_level::cheap);
}

moment race_watch::now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

void race_watch::window_made(const window_members &members) {
    if (!watched()) {
        return;
    }
    call_among_ranks::windows_watched.fetch_add(1, std::memory_order_relaxed);
    this_rank().tracks().keep_general(+1); // short paths do not note calls
    watching_rank &self = *watching;
    const std::scoped_lock guard{self.mutex};
    self.windows.try_emplace(&members);
    self.hear();
}

void race_watch::window_ends(const window_members &members) {
    if (!watched()) {
        return;
    }
    watched_window ended;
    {
        watching_rank &self = *watching;
        const std::scoped_lock guard{self.mutex};
        ended = std::move(self.windows.extract(&members).mapped());
    }
    call_among_ranks::windows_watched.fetch_sub(1, std::memory_order_relaxed);
    this_rank().tracks().keep_general(-1);
    std::vector<access_record> records{ended.others.begin(), ended.others.end()};
    const party ranks = all_of(members, message_space::agreement);
    const auto lost = ranks.allgather<unsigned char>(ended.some_turns_lost ? 1 : 0);
    if (std::ranges::find(lost, 1) != lost.end()) { // the order that they made is not known
        std::erase_if(records, [](const access_record &each) { return each.epoch != epoch_kind::exposure; });
    }
    name_races(members, ranks, records, ended.turns, ended.sites);
}

void race_watch::fenced(const window_members &members, bool goes_on) {
    if (watched()) {
        const locked_watch own{members};
        own->between_fences = goes_on;
    }
}

void race_watch::fence_ends(const window_members &members) {
    if (!watched()) {
        return;
    }
    std::vector<access_record> records;
    std::vector<access_site> sites;
    {
        const locked_watch own{members};
        own->between_fences = false;
        records = std::exchange(own->fenced, {});
        sites = own->sites;
    }
    name_races(members, all_of(members, message_space::accesses), records, {}, sites);
}

void race_watch::locked(const window_members &members, int target, epoch_kind kind) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    own->between_fences = false;
    const hold held{kind, now()};
    if (kind == epoch_kind::exclusive_lock) {
        own.rank().hear();
        own->some_turns_lost = own->some_turns_lost || own->turns.size() == most_turns;
        if (!own->some_turns_lost) {
            own->turns.push_back({target, held.since});
        }
    }
    if (target < 0) {
        own->holds_all = held;
    } else {
        own->holds[target] = held;
    }
}

void race_watch::unlocks(const window_members &members, int target) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    const moment closed = now();
    for (access_record &each : own->others) {
        const bool of_epoch =
            each.epoch == epoch_kind::shared_lock || each.epoch == epoch_kind::exclusive_lock;
        if (of_epoch && (target < 0 || each.target == target) && each.closed == never) {
            each.closed = closed;
        }
    }
    if (target < 0) {
        own->holds_all.reset();
    } else if (const auto held = own->holds.find(target); held != own->holds.end()) {
        if (held->second.kind == epoch_kind::exclusive_lock) {
            own.rank().tell(closed);
        }
        own->holds.erase(held);
    }
}

void race_watch::started(const window_members &members, const std::vector<int> &targets,
                         const std::vector<moment> &posted) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    own->between_fences = false;
    own->posted.clear();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        own->posted[targets[i]] = posted[i];
        if (posted[i] != never) {
            own.rank().heard = std::max(own.rank().heard, posted[i]);
        }
    }
}

void race_watch::completes(const window_members &members) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    const moment at = now();
    for (access_record &each : own->others) {
        if (each.epoch == epoch_kind::exposure && each.completed == never) {
            each.completed = at;
        }
    }
    if (own->posted.size() > 1) { // one target may tell the origins of another
        own.rank().tell(at);
    }
    own->posted.clear();
    if (std::exchange(own->awaits_results, false)) {
        own.rank().hear();
    }
}

void race_watch::flushed(const window_members &members, int target, bool results_only) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    const moment at = now();
    for (access_record &each : own->others) {
        // The record of an accumulate does not say whether it fetches: it counts as if it did.
        if (each.completed == never && (target < 0 || each.target == target) &&
            !(results_only && each.what == access_kind::put)) {
            each.completed = at;
        }
    }
    if (own->awaits_results) {
        own.rank().hear();
        own->awaits_results = target >= 0; // results of other targets may be missing
    }
}

race_watch::call race_watch::begin_access(const window_members &members, access_kind what, bool brings) {
    const locked_watch own{members};
    const moment called = now();
    if (what != access_kind::get) {
        own.rank().tell(called);
    }
    own->awaits_results = own->awaits_results || brings;
    return {own.rank().heard, called};
}

void race_watch::note(const window_members &members, const call &begun, const target_data &target,
                      MPI_Count bytes, access_kind what, const access_site &site) {
    const MPI_Aint offset = target.disp * static_cast<MPI_Aint>(members.at(target.rank).facts.unit);
    access_record record{};
    record.origin = members.rank();
    record.target = target.rank;
    record.node = known_rank().get_job().places().node_of(known_rank().number());
    record.what = what;
    record.heard = begun.heard;
    record.called = begun.called;
    record.completed = record.told = record.closed = never;
    std::vector<access_record> pieces;
    for_each_run({reinterpret_cast<void *>(offset), target.count, *target.type}, 0, bytes,
                 [&](std::uint64_t address, std::size_t length) {
                     record.first = static_cast<std::int64_t>(address);
                     record.end = record.first + static_cast<std::int64_t>(length);
                     if (pieces.size() <= most_pieces_of_access) {
                         pieces.push_back(record);
                     }
                 });
    const locked_watch own{members};
    if (pieces.size() > most_pieces_of_access || !own->enter_epoch(record)) {
        return;
    }
    record.site = own->number_of(site);
    for (access_record &each : pieces) {
        each.epoch = record.epoch;
        each.opened = record.opened;
        each.site = record.site;
        own->keep(each, most_records(members));
    }
}

void call_among_ranks::begin() noexcept {
    observe(true);
    if (rank *const self = rank_at_once()) {
        watching_rank &own = watching.of(*self);
        const std::scoped_lock guard{own.mutex};
        own.tell(race_watch::now());
    }
}

void call_among_ranks::end(hearing what) noexcept {
    observe(false);
    rank *const self = rank_at_once();
    if (self == nullptr || what == hearing::nothing) {
        return;
    }
    const moment entry = what == hearing::entries ? collective::take_last_entry() : 0;
    watching_rank &own = watching.of(*self);
    const std::scoped_lock guard{own.mutex};
    if (entry != 0) {
        own.heard = std::max(own.heard, entry);
    } else {
        own.hear();
    }
}

} // namespace lisle::rma
