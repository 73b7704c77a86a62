// SPDX-License-Identifier: Apache-2.0
#include "rma/races/finding.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

namespace lisle::rma {

namespace {

constexpr std::size_t most_named = 4;
constexpr std::size_t most_looks = 1'000'000; ///< pairs of accesses that are compared

bool is_local(const access_record &each) noexcept {
    return each.epoch == epoch_kind::local;
}

bool only_reads(access_kind what) noexcept {
    return what == access_kind::get || what == access_kind::fetch || what == access_kind::load;
}

bool updates(access_kind what) noexcept {
    return what == access_kind::update || what == access_kind::fetch;
}

/// Accumulates are atomic for the same elements of the same type [MPI-5.0 12.7.1]. What is of several types
/// counts as such.
bool are_atomic(const access_record &a, const access_record &b) noexcept {
    if (a.element == basic_type::mixed || b.element == basic_type::mixed) {
        return true;
    }
    return a.element == b.element && (a.first - b.first) % a.element_bytes == 0;
}

/// True of what may have changed bytes for another reason than a store.
bool may_change(const access_record &each) noexcept {
    return !only_reads(each.what) && each.what != access_kind::change && each.what != access_kind::no_puts;
}

/// Leaves of changed bytes those that nothing but a store can have changed.
void explain_changes(std::vector<access_record> &accesses) {
    for (access_record &changed : accesses) {
        if (changed.what != access_kind::change) {
            continue;
        }
        for (const access_record &other : accesses) {
            // Without a look at the bytes beside them: most races are of whole elements.
            if (may_change(other) && other.target == changed.target && other.first < changed.end &&
                changed.first < other.end) {
                changed.what = access_kind::left_out;
            }
        }
    }
    std::erase_if(accesses, [](const access_record &each) { return each.what == access_kind::left_out; });
}

/// True unless both only read, both are accumulates of the same elements, or both are the target's own.
bool conflict(const access_record &a, const access_record &b) noexcept {
    if (a.what == access_kind::no_puts || b.what == access_kind::no_puts) {
        const access_kind other = a.what == access_kind::no_puts ? b.what : a.what;
        return other == access_kind::put || other == access_kind::update;
    }
    if ((only_reads(a.what) && only_reads(b.what)) || (is_local(a) && is_local(b))) {
        return false;
    }
    return !(updates(a.what) && updates(b.what) && are_atomic(a, b)) || break_promise(a, b);
}

/// Notes the order that exclusive locks make: a holder knows of all that earlier holders have done, and later
/// holders know of all that it has done.
/// @param turns sorted
void hear_of_turns(access_record &access, const std::vector<exclusive_turn> &turns) {
    const auto first_after = [&](moment when) -> moment {
        const auto found = std::ranges::upper_bound(turns, exclusive_turn{access.target, when});
        return found != turns.end() && found->target == access.target ? found->at : never;
    };
    if (first_after(access.heard) <= access.opened) {
        access.heard = access.opened;
    }
    access.told = std::min(access.told, first_after(access.closed));
}

/// True if neither origin can have known that the other's access was complete.
bool overlap(const access_record &a, const access_record &b) noexcept {
    return a.node == b.node && a.heard < b.told && b.heard < a.told;
}

/// True for unordered accesses of two ranks in one exposure epoch, at whose end alone a put is complete.
bool unordered_while_exposed(const access_record &a, const access_record &b) noexcept {
    if (a.opened != b.opened) {
        return false;
    }
    if (!only_reads(a.what) && !only_reads(b.what)) {
        return true;
    }
    const auto &[get, other] = only_reads(a.what) ? std::tie(a, b) : std::tie(b, a);
    return a.node == b.node && other.heard < get.told;
}

/// True if the target's own access may come before or after the other one.
/// @param remote by another rank, or by the target as an origin
bool unordered_at_target(const access_record &own, const access_record &remote) noexcept {
    if (own.origin == remote.origin) {
        return remote.called <= own.called && own.called < remote.completed;
    }
    if (own.what == access_kind::change) { // nobody knows when
        return remote.epoch == epoch_kind::fence && !remote.heard_in_epoch;
    }
    // What the target did in this epoch the origin cannot know unless somebody has told it.
    const bool unknown = !remote.heard_in_epoch || (own.node == remote.node && remote.heard < own.told);
    switch (remote.epoch) {
    case epoch_kind::fence:
        return unknown; // and what it does is complete at the next fence
    case epoch_kind::exposure:
        return own.opened == remote.opened && unknown;
    case epoch_kind::exclusive_lock:
        return !own.holds_shared && !own.holds_exclusive && overlap(own, remote);
    case epoch_kind::shared_lock:
        return !own.holds_exclusive && overlap(own, remote);
    case epoch_kind::local:
        break;
    }
    return false;
}

bool unordered(const access_record &a, const access_record &b) noexcept {
    if (is_local(a) || is_local(b)) {
        return is_local(a) ? unordered_at_target(a, b) : unordered_at_target(b, a);
    }
    if (a.epoch == epoch_kind::fence || b.epoch == epoch_kind::fence) {
        return a.epoch == b.epoch;
    }
    if (a.origin == b.origin) {
        return a.called < b.completed && b.called < a.completed;
    }
    if (a.epoch == epoch_kind::exposure && b.epoch == epoch_kind::exposure) {
        return unordered_while_exposed(a, b);
    }
    return a.epoch == epoch_kind::shared_lock && b.epoch == epoch_kind::shared_lock && overlap(a, b);
}

} // namespace

bool break_promise(const access_record &a, const access_record &b) noexcept {
    const operation_name none{};
    return a.same_operation != none && b.same_operation != none && a.same_operation != b.same_operation;
}

std::vector<race> find_races(std::vector<access_record> &accesses, std::vector<exclusive_turn> &turns) {
    explain_changes(accesses);
    std::ranges::sort(turns);
    for (access_record &each : accesses) {
        if (is_locked(each.epoch)) {
            hear_of_turns(each, turns);
        }
    }
    std::ranges::stable_sort(accesses, {}, [](const access_record &each) {
        return std::pair{each.target, each.first};
    });
    std::vector<race> found;
    std::set<std::tuple<int, int, int, int, int>> named; // one race for each pair of calls
    std::size_t looks = 0;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        const access_record &a = accesses[i];
        for (std::size_t j = i + 1;
             j < accesses.size() && accesses[j].target == a.target && accesses[j].first < a.end; ++j) {
            if (++looks > most_looks || found.size() == most_named) {
                return found;
            }
            const access_record &b = accesses[j];
            if (conflict(a, b) && unordered(a, b) &&
                named.insert({a.target, a.origin, a.site, b.origin, b.site}).second) {
                found.push_back({a, b});
            }
        }
    }
    return found;
}

} // namespace lisle::rma
