// SPDX-License-Identifier: Apache-2.0
#include "protocol/checking/wildcard_races.hpp"

#include <algorithm>
#include <utility>

#include "protocol/matching/matcher.hpp"

namespace lisle::protocol {

namespace {

bool could_take(const envelope &pattern, const envelope &taken, const envelope &other) noexcept {
    // Messages of one source do not overtake each other.
    return pattern.accepts(other) && other.source != taken.source;
}

} // namespace

void wildcard_races::note(std::uint16_t timestamp) noexcept {
    std::uint16_t known = clock_.load(std::memory_order_relaxed);
    while (known < timestamp && !clock_.compare_exchange_weak(known, timestamp, std::memory_order_relaxed)) {
    }
}

void wildcard_races::arrived(const envelope &message, std::uint16_t sent, std::uint32_t taker) {
    note(sent);
    const std::scoped_lock guard{mutex_};
    for (const entry &each : entries_) {
        // A receive that was posted before would have had the message anyway.
        if (each.posting != 0 && sent < each.timestamp && (taker == 0 || taker > each.posting) &&
            could_take(each.pattern, each.taken, message)) {
            find_locked(each, message);
        }
    }
}

void wildcard_races::taken(const receive_operation &receive, const envelope &message, const matcher &stored) {
    if (receive.posting == 0 || receive.pattern.source != MPI_ANY_SOURCE) {
        return;
    }
    const std::scoped_lock guard{mutex_};
    const std::uint16_t now = timestamp();
    if (now + 1 >= annotation::last_timestamp) {
        note(annotation::last_timestamp); // the clock stands still, and says nothing more
        return;
    }
    note(static_cast<std::uint16_t>(now + 1));
    const entry added{receive.pattern, message, receive.posting, timestamp()};
    entries_[next_++ % most_entries] = added;
    stored.each_stored([&](const unexpected_message &each) {
        if (could_take(added.pattern, message, each.what)) {
            find_locked(added, each.what);
        }
    });
}

void wildcard_races::find_locked(const entry &receive, const envelope &other) {
    if (findings_.size() < most_findings) {
        findings_.push_back({receive.posting, other.context, receive.taken, other});
    }
}

std::vector<wildcard_races::finding> wildcard_races::take_findings() {
    const std::scoped_lock guard{mutex_};
    return std::exchange(findings_, {});
}

} // namespace lisle::protocol
