// SPDX-License-Identifier: Apache-2.0
#include "rma/races/watch.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "base/thread_order.hpp"
#include "collective/selection/check.hpp"
#include "communicator/agreement.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/tracks.hpp"
#include "rma/races/records.hpp"
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
    constexpr std::size_t lists = 4; // between fences, others, loads and stores, and what has changed
    std::vector<access_record> records =
        ranks.allgather_lists(own, (lists * most_records(members) + most_changes + size) * size);
    check_records(members, records);
    std::vector<exclusive_turn> all_turns = ranks.allgather_lists(turns, most_turns * size);
    // All look for the same, and then tell each other of what they have found: nobody is missed.
    const auto found =
        protocol::once_there_is_memory(members.home(), [&] { return find_races(records, all_turns); });
    report_races(members, ranks, found, sites);
}

/// Does what the ranks do together to name races, as far as there is memory. What lacks it at one rank fails
/// at all in the same place; then races stay unnamed, and the call goes on. @return false: it did lack it
template <class Name> bool name_if_possible(Name name) {
    try {
        name();
        return true;
    } catch (const std::exception &caught) {
        if (const mpi_error known = error_of(caught); known.code() != MPI_ERR_NO_MEM) {
            throw;
        }
        return false;
    }
}

/// What a rank hears when the call that it is in returns is nothing that came after.
std::uint64_t after_this_call(const watching_rank &of) noexcept {
    return of.times_heard + 1;
}

access_record own_record(const window_members &members) {
    access_record made{};
    made.origin = members.rank();
    made.node = this_rank().get_job().places().node_of(members.number_of(members.rank()));
    made.completed = made.told = made.closed = never;
    return made;
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
    watched_window &made = self.windows.try_emplace(&members).first->second;
    self.hear(now());
    made.heard_apart = after_this_call(self);
    if (const member_facts &own = members.own().facts; !members.dynamic() && own.size != 0) {
        const auto base = reinterpret_cast<std::uintptr_t>(members.reach(members.rank(), own.base, own.size));
        made.add_region({base, base + own.size, base});
    }
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
    ended.drop_regions();
    name_if_possible([&] { origins_end(&members, -1); });
    call_among_ranks::windows_watched.fetch_sub(1, std::memory_order_relaxed);
    this_rank().tracks().keep_general(-1);
    std::vector<access_record> records = ended.take();
    const party ranks = all_of(members, message_space::agreement);
    name_if_possible([&] {
        const auto lost = ranks.allgather<unsigned char>(ended.some_turns_lost ? 1 : 0);
        if (std::ranges::find(lost, 1) != lost.end()) { // the order that they made is not known
            std::erase_if(records, [](const access_record &each) { return is_locked(each.epoch); });
        }
        name_races(members, ranks, records, ended.turns, ended.sites);
    });
}

void race_watch::fenced(const window_members &members, bool goes_on) {
    if (watched()) {
        const locked_watch own{members};
        own->between_fences = goes_on;
        own->had_epoch = true;
        if (goes_on) {
            own->remember_content();
        }
        own->heard_before_epoch = own->heard_apart = after_this_call(own.rank());
    }
}

void race_watch::fence_ends(const window_members &members) {
    if (!watched()) {
        return;
    }
    std::vector<access_record> records;
    std::vector<exclusive_turn> turns;
    std::vector<access_site> sites;
    name_if_possible([&] { origins_end(&members, -1); });
    {
        const locked_watch own{members};
        own->between_fences = false;
        own->complete_all(now());
        const bool all_known = name_if_possible([&] {
            own->add_changes(own->fenced, own_record(members));
            sites = own->sites;
        });
        records = own->take(); // all that comes behind the fence is in order with it
        turns = std::exchange(own->turns, {});
        if (std::exchange(own->some_turns_lost, false)) {
            std::erase_if(records, [](const access_record &each) { return is_locked(each.epoch); });
        }
        if (!all_known) {
            records.clear();
        }
    }
    const party ranks = all_of(members, message_space::accesses);
    name_if_possible([&] { name_races(members, ranks, records, turns, sites); });
}

void race_watch::locked(const window_members &members, int target, epoch_kind kind) {
    if (!watched()) {
        return;
    }
    const locked_watch own{members};
    own->between_fences = false;
    own->had_epoch = true;
    const hold held{kind, now()};
    if (kind == epoch_kind::exclusive_lock) {
        own.rank().hear(now());
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
        if (is_locked(each.epoch) && (target < 0 || each.target == target) && each.closed == never) {
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
    own->had_epoch = true;
    own->posted.clear();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        own->posted[targets[i]] = posted[i];
        if (posted[i] != never) {
            own.rank().hear(posted[i]);
        }
    }
    own->heard_before_epoch = own.rank().times_heard;
}

void race_watch::completes(const window_members &members) {
    if (!watched()) {
        return;
    }
    origins_end(&members, -1);
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
        own.rank().hear(now());
    }
}

void race_watch::flushed(const window_members &members, int target, bool results_only) {
    if (!watched()) {
        return;
    }
    origins_end(&members, target);
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
        own.rank().hear(now());
        own->awaits_results = target >= 0; // results of other targets may be missing
    }
}

void race_watch::exposed(const window_members &members, moment posted) {
    if (watched()) {
        const locked_watch own{members};
        own->exposed = posted;
        own->had_epoch = true;
    }
}

void race_watch::attached(const window_members &members, const void *base, std::size_t bytes) {
    if (watched()) {
        const auto first = reinterpret_cast<std::uintptr_t>(base);
        const locked_watch own{members};
        own->add_region({first, first + bytes, 0});
    }
}

void race_watch::detached(const window_members &members, const void *base) {
    if (watched()) {
        const locked_watch own{members};
        own->drop_region(reinterpret_cast<std::uintptr_t>(base));
    }
}

race_watch::call race_watch::begin_access(const window_members &members, access_kind what, bool brings) {
    const locked_watch own{members};
    const moment called = now();
    if (what != access_kind::get && what != access_kind::fetch) {
        own.rank().tell(called);
    }
    own->awaits_results = own->awaits_results || brings;
    return {own->heard(own.rank()), called};
}

void race_watch::note(const window_members &members, const call &begun, const noted_access &made,
                      const access_site &site) {
    const target_data &target = made.target;
    const MPI_Aint offset = target.disp * static_cast<MPI_Aint>(members.at(target.rank).facts.unit);
    access_record record = own_record(members);
    record.target = target.rank;
    record.what = made.what;
    record.heard = begun.heard;
    record.called = begun.called;
    record.ends_with_request = made.ends_with_request;
    record.same_operation = made.same_operation;
    if (made.what == access_kind::update || made.what == access_kind::fetch) {
        record.element = target.type->basic();
        const int bytes = static_cast<int>(size_of(record.element));
        record.element_bytes = static_cast<std::uint8_t>(bytes > 0 ? bytes : 1);
    }
    std::vector<access_record> pieces;
    for_each_run({reinterpret_cast<void *>(offset), target.count, *target.type}, 0, made.bytes,
                 [&](std::uint64_t address, std::size_t length) {
                     record.first = static_cast<std::int64_t>(address);
                     record.end = record.first + static_cast<std::int64_t>(length);
                     if (pieces.size() <= most_pieces_of_access) {
                         pieces.push_back(record);
                     }
                 });
    const locked_watch own{members};
    const bool in_epoch = own->enter_epoch(record, own.rank().times_heard);
    if (pieces.size() > most_pieces_of_access || !in_epoch) {
        own->leave_out(target.rank);
        return;
    }
    record.site = own->number_of(site);
    for (access_record &each : pieces) {
        each.epoch = record.epoch;
        each.opened = record.opened;
        each.heard_in_epoch = record.heard_in_epoch;
        each.site = record.site;
        own->keep(each, most_records(members));
    }
}

void race_watch::forbids_puts(const window_members &members, const access_site &site) {
    access_record record = own_record(members);
    record.target = record.origin;
    record.what = access_kind::no_puts;
    record.epoch = epoch_kind::fence;
    record.end = std::numeric_limits<std::int64_t>::max();
    const locked_watch own{members};
    record.site = own->number_of(site);
    own->keep(record, most_records(members));
}

bool race_watch::note_local(rank &self, const own_access &made) {
    bool found = false;
    const auto first = reinterpret_cast<std::uintptr_t>(made.address);
    watching_rank &own = watching.of(self);
    const std::scoped_lock guard{own.mutex};
    for (auto &[members, known] : own.windows) {
        for (const window_region &region : known.regions) {
            const std::uintptr_t begin = std::max(first, region.begin);
            const std::uintptr_t end = std::min(first + made.bytes, region.end);
            if (begin >= end) {
                continue;
            }
            access_record record = own_record(*members);
            record.target = record.origin;
            record.what = made.what;
            record.epoch = epoch_kind::local;
            record.first = static_cast<std::int64_t>(begin - region.origin);
            record.end = static_cast<std::int64_t>(end - region.origin);
            record.heard = known.heard(own);
            record.called = record.completed = now();
            record.opened = known.exposed;
            record.initial = record.heard == 0 && !known.had_epoch;
            found = true;
            if (record.initial && !made.may_be_first) {
                continue;
            }
            known.look_at_holds(record);
            record.site = known.number_of(made.code, made.what, [&] {
                return made.name ? made.name() : name_code(made.code, made.what);
            });
            known.keep_local(record, most_records(*members));
        }
    }
    return found;
}

void call_among_ranks::begin() noexcept {
    thread_order::library_code::begin();
    observe(true);
    if (!race_watch::watched()) {
        return;
    }
    if (rank *const self = rank_at_once()) {
        watching_rank &own = watching.of(*self);
        const std::scoped_lock guard{own.mutex};
        own.tell(race_watch::now());
    }
}

void call_among_ranks::end(hearing what) noexcept {
    observe(false);
    thread_order::library_code::end();
    rank *const self = race_watch::watched() ? rank_at_once() : nullptr;
    if (self == nullptr || what == hearing::nothing) {
        return;
    }
    race_watch::origins_end(nullptr, -1);
    const moment entry = what == hearing::entries ? collective::take_last_entry() : 0;
    watching_rank &own = watching.of(*self);
    const std::scoped_lock guard{own.mutex};
    const moment at = race_watch::now();
    for (auto &[window, known] : own.windows) {
        known.end_requests(at);
    }
    own.hear(entry != 0 ? entry : at);
}

} // namespace lisle::rma
