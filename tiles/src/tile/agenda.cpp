// SPDX-License-Identifier: Apache-2.0
#include "tile/agenda.hpp"

#include <algorithm>

namespace lisle::tile {

agenda::agenda(int tiles) : due_(static_cast<std::size_t>(tiles), never) {
    constexpr std::size_t usual = 8; // appointments of a cycle; more take memory once
    for (std::vector<int> &slot : near_) {
        slot.reserve(usual);
    }
}

void agenda::set(int tile, cycle at, cycle now) {
    due_[static_cast<std::size_t>(tile)] = at;
    if (at == never) {
        return;
    }
    if (at - now < static_cast<cycle>(slots)) {
        near_[static_cast<std::size_t>(at) % slots].push_back(tile);
    } else {
        far_.emplace(at, tile);
    }
}

void agenda::take_if_due(int tile, cycle now, std::vector<int> &tiles) {
    cycle &due = due_[static_cast<std::size_t>(tile)];
    if (due == now) {
        due = never;
        tiles.push_back(tile);
    }
}

bool agenda::take(cycle now, std::vector<int> &tiles) {
    tiles.clear();
    std::vector<int> &slot = near_[static_cast<std::size_t>(now) % slots];
    for (const int tile : slot) {
        take_if_due(tile, now, tiles);
    }
    slot.clear();
    for (; !far_.empty() && far_.top().first <= now; far_.pop()) {
        take_if_due(far_.top().second, now, tiles);
    }
    if (tiles.size() > 1) {
        std::sort(tiles.begin(), tiles.end());
    }
    return !tiles.empty();
}

cycle agenda::next(cycle now) {
    while (!far_.empty() && due(far_.top().second) != far_.top().first) {
        far_.pop();
    }
    const cycle far = far_.empty() ? never : far_.top().first;
    const cycle horizon = std::min(far, now + static_cast<cycle>(slots));
    for (cycle at = now; at < horizon; ++at) {
        std::vector<int> &slot = near_[static_cast<std::size_t>(at) % slots];
        std::erase_if(slot, [&](int tile) { return due(tile) != at; });
        if (!slot.empty()) {
            return at;
        }
    }
    return far;
}

} // namespace lisle::tile
