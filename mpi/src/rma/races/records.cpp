// SPDX-License-Identifier: Apache-2.0
#include "rma/races/records.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checks.hpp"
#include "communicator/agreement.hpp"
#include "execution/observed_memory.hpp"
#include "execution/watchpoints.hpp"

namespace lisle::rma {

std::int32_t watched_window::number_of(const access_site &site) {
    const auto found = std::ranges::find(sites, site);
    const auto number = static_cast<std::int32_t>(found - sites.begin());
    if (found == sites.end()) {
        sites.push_back(site);
    }
    return number;
}

void watched_window::keep(const access_record &record, std::size_t most) {
    if (record.epoch == epoch_kind::fence) {
        if (fenced.size() < most) {
            fenced.push_back(record);
        } else {
            leave_out(record.target);
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

namespace {
bool are_one(const access_record &a, const access_record &b) noexcept {
    return a.site == b.site && a.what == b.what && a.opened == b.opened && a.holds_shared == b.holds_shared &&
           a.holds_exclusive == b.holds_exclusive && a.initial == b.initial && a.heard == b.heard &&
           a.first <= b.end && b.first <= a.end;
}
} // namespace

void watched_window::keep_local(const access_record &record, std::size_t most) {
    constexpr std::size_t most_looks = 16;
    const std::size_t untold = locals_.size() - told_locals_;
    for (std::size_t i = 1; i <= std::min(untold, most_looks); ++i) {
        access_record &before = locals_[locals_.size() - i];
        // An operation of this rank on its own part may have begun in between: what came before it is
        // another.
        if (are_one(before, record) && (others.empty() || others.back().called < before.called) &&
            (fenced.empty() || fenced.back().called < before.called)) {
            before.first = std::min(before.first, record.first);
            before.end = std::max(before.end, record.end);
            return;
        }
    }
    if (locals_.size() == most) {
        locals_.pop_front();
        told_locals_ -= told_locals_ > 0 ? 1 : 0;
    }
    locals_.push_back(record);
}

void watched_window::tell(moment at) noexcept {
    for (access_record &each : others) {
        if (each.completed != never && each.told == never) {
            each.told = at;
        }
    }
    for (; told_locals_ < locals_.size(); ++told_locals_) {
        locals_[told_locals_].told = at;
    }
}

void watched_window::end_requests(moment at) noexcept {
    for (access_record &each : others) {
        if (std::exchange(each.ends_with_request, false) && each.completed == never) {
            each.completed = at;
        }
    }
}

bool watched_window::enter_epoch(access_record &record, std::uint64_t times_heard) const {
    record.heard_in_epoch = times_heard != heard_before_epoch;
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

moment watched_window::heard(const watching_rank &of) const noexcept {
    return of.times_heard == heard_apart ? 0 : of.heard;
}

void watched_window::complete_all(moment at) noexcept {
    for (access_record &each : fenced) {
        each.completed = std::min(each.completed, at);
        each.told = std::min(each.told, at);
    }
}

void watched_window::look_at_holds(access_record &record) const {
    const auto found = holds.find(record.target);
    record.holds_exclusive = found != holds.end() && found->second.kind == epoch_kind::exclusive_lock;
    record.holds_shared = (found != holds.end() || holds_all.has_value()) && !record.holds_exclusive;
}

namespace {
access_filter::range range_of(const window_region &region) noexcept {
    return {region.begin, region.end};
}
} // namespace

void watched_window::add_region(const window_region &region) {
    regions.push_back(region);
    observed->listen();
    const auto range = range_of(region);
    observed->add({&range, 1});
    if (checks(check_level::all) && !observed->told()) {
        watchpoints::watch_window(range);
    }
}

void watched_window::drop_region(std::uintptr_t begin) {
    const auto found = std::ranges::find(regions, begin, &window_region::begin);
    if (found != regions.end()) {
        const auto range = range_of(*found);
        observed->remove({&range, 1});
        regions.erase(found);
    }
}

void watched_window::drop_regions() {
    while (!regions.empty()) {
        drop_region(regions.back().begin);
    }
}

void watched_window::remember_content() {
    constexpr std::size_t most_bytes = 16 << 20;
    content_.clear();
    if (!checks(check_level::all) || observed->told() || regions.size() != 1 || regions[0].origin == 0 ||
        regions[0].end - regions[0].begin > most_bytes) {
        return;
    }
    const auto *const first = reinterpret_cast<const std::byte *>(regions[0].begin);
    content_.assign(first, first + (regions[0].end - regions[0].begin));
}

void watched_window::add_changes(std::vector<access_record> &records, access_record about) {
    const auto *const now = reinterpret_cast<const std::byte *>(content_.empty() ? 0 : regions[0].begin);
    about.target = about.origin;
    about.what = access_kind::change;
    about.epoch = epoch_kind::local;
    std::size_t added = 0;
    for (std::size_t at = 0; at < content_.size() && added < most_changes; ++at) {
        constexpr std::size_t step = 64;
        if (content_.size() - at >= step && std::memcmp(&content_[at], now + at, step) == 0) {
            at += step - 1;
            continue;
        }
        const std::size_t first = at;
        while (at < content_.size() && content_[at] != now[at]) {
            ++at;
        }
        if (at != first) {
            about.first = static_cast<std::int64_t>(first);
            about.end = static_cast<std::int64_t>(at);
            about.site = number_of(access_site{"a store", {}, {}});
            records.push_back(about);
            ++added;
        }
    }
    for (const int target : std::exchange(left_out_, {})) {
        about.target = target;
        about.what = access_kind::left_out;
        about.first = 0;
        about.end = std::numeric_limits<std::int64_t>::max();
        records.push_back(about);
    }
    content_.clear();
}

std::vector<access_record> watched_window::take() noexcept {
    std::vector<access_record> all = std::exchange(fenced, {});
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    if (make_room(all, all.size() + others.size() + locals_.size())) {
        std::ranges::copy(locals_, std::ranges::copy(others, all.begin() + first).out);
    }
    others.clear();
    locals_.clear();
    told_locals_ = 0;
    return all;
}

} // namespace lisle::rma
