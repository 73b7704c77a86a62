// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/shared_area.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace lisle::fabric::local {

shared_area::entry *shared_area::find_locked(std::uint64_t key) noexcept {
    entry *const end = entries() + std::min<std::size_t>(top().used, layout_.entries);
    entry *const found = std::find_if(entries(), end, [key](const entry &e) { return e.key == key; });
    return found != end ? found : nullptr;
}

bool shared_area::find_room_locked(std::uint32_t units, std::uint32_t &first) noexcept {
    // The lowest gap that is long enough. Blocks are few and their sizes alike, so little is lost.
    const std::size_t used = std::min<std::size_t>(top().used, layout_.entries);
    first = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t i = 0; i < used; ++i) {
            const entry &other = entries()[i];
            if (other.key != 0 && first < other.first + other.units && other.first < first + units) {
                first = other.first + other.units;
                moved = true;
            }
        }
    }
    return first + units <= layout_.units;
}

std::byte *shared_area::block(std::uint64_t key, std::size_t bytes) noexcept {
    const std::size_t units = (bytes + shared_area_layout::unit_bytes - 1) / shared_area_layout::unit_bytes;
    const std::scoped_lock guard{top().lock};
    if (const entry *const found = find_locked(key)) {
        return found->units != 0 ? unit(found->first) : nullptr;
    }
    if (top().closed) {
        return nullptr;
    }
    entry *free = find_locked(0);
    if (free == nullptr) {
        if (top().used >= layout_.entries) {
            top().closed = true;
            return nullptr;
        }
        free = entries() + top().used++;
    }
    *free = {key, 0, 0, 0};
    std::uint32_t first = 0;
    if (units <= layout_.units && find_room_locked(static_cast<std::uint32_t>(units), first)) {
        free->first = first;
        free->units = static_cast<std::uint32_t>(units);
        // Fresh memory is zero: it is not touched before it is used, which takes long for many ranks.
        if (first < top().used_units) {
            std::memset(unit(first), 0, bytes);
        }
        top().used_units = std::max(top().used_units, free->first + free->units);
        return unit(first);
    }
    return nullptr;
}

void shared_area::leave(std::uint64_t key, int sharers) noexcept {
    const std::scoped_lock guard{top().lock};
    if (entry *const found = find_locked(key);
        found != nullptr && ++found->left == static_cast<std::uint32_t>(sharers)) {
        *found = {};
    }
}

bool shared_area::watch(int rank) noexcept {
    // Sequentially consistent, as the stores of those who nudge: either they see this, or the look that
    // follows sees what they stored.
    if (watched(rank)) {
        return true;
    }
    top().watching.fetch_add(1, std::memory_order_seq_cst);
    const bool watched_already = watch_word(rank).exchange(1, std::memory_order_seq_cst) != 0;
    if (watched_already) { // by another thread of the rank
        top().watching.fetch_sub(1, std::memory_order_relaxed);
    }
    return watched_already;
}

void shared_area::nudge(int rank, doorbell &bell) noexcept {
    if (watched(rank) && watch_word(rank).exchange(0, std::memory_order_relaxed) != 0) {
        top().watching.fetch_sub(1, std::memory_order_relaxed);
        bell.ring();
    }
}

std::optional<bool> shared_area::memory_open(std::optional<bool> found) noexcept {
    auto &word = top().memory;
    std::uint32_t known = word.load(std::memory_order_relaxed);
    if (known == 0 && found) {
        const std::uint32_t said = *found ? 2 : 1;
        known = word.compare_exchange_strong(known, said, std::memory_order_relaxed) ? said : known;
    }
    return known == 0 ? std::nullopt : std::optional{known == 2};
}

} // namespace lisle::fabric::local
