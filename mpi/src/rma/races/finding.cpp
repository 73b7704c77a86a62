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

/// True unless both are gets, or both are accumulates, which are atomic and ordered.
bool conflict(access_kind a, access_kind b) noexcept {
    return a == access_kind::put || b == access_kind::put || a != b;
}

bool is_locked(epoch_kind kind) noexcept {
    return kind == epoch_kind::shared_lock || kind == epoch_kind::exclusive_lock;
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
    if (a.what != access_kind::get && b.what != access_kind::get) {
        return true;
    }
    const auto &[get, other] = a.what == access_kind::get ? std::tie(a, b) : std::tie(b, a);
    return a.node == b.node && other.heard < get.told;
}

bool unordered(const access_record &a, const access_record &b) noexcept {
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

std::vector<race> find_races(std::vector<access_record> &accesses, std::vector<exclusive_turn> &turns) {
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
            if (conflict(a.what, b.what) && unordered(a, b) &&
                named.insert({a.target, a.origin, a.site, b.origin, b.site}).second) {
                found.push_back({a, b});
            }
        }
    }
    return found;
}

} // namespace lisle::rma
