// SPDX-License-Identifier: Apache-2.0
#include "tile/standstill.hpp"

#include <algorithm>

namespace lisle::tile {

namespace {

/// Follows the waits from each tile; a tile met twice on one way is part of a ring.
std::vector<int> find_ring(const std::vector<int> &waits_for) {
    constexpr int unseen = -1;
    std::vector<int> seen_from(waits_for.size(), unseen);
    for (int start = 0; start < static_cast<int>(waits_for.size()); ++start) {
        int at = start;
        while (at >= 0 && seen_from[static_cast<std::size_t>(at)] == unseen) {
            seen_from[static_cast<std::size_t>(at)] = start;
            at = waits_for[static_cast<std::size_t>(at)];
        }
        if (at >= 0 && seen_from[static_cast<std::size_t>(at)] == start) {
            std::vector<int> ring;
            for (int member = at; ring.empty() || member != at;
                 member = waits_for[static_cast<std::size_t>(member)]) {
                ring.push_back(member);
            }
            std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end()), ring.end());
            return ring;
        }
    }
    return {};
}

std::string sentence_for(const wait_of_tile &wait) {
    const std::string whom = wait.waits_for < 0 ? "any tile" : "tile " + std::to_string(wait.waits_for);
    const std::string tile = "tile " + std::to_string(wait.tile);
    return wait.sending ? tile + " sends, and waits for " + whom + " to take words from its full port"
                        : tile + " waits for words from " + whom;
}

} // namespace

standstill explain_standstill(const machine &stopped) {
    standstill found;
    const int tiles = stopped.shape().tiles();
    std::vector<int> waits_for(static_cast<std::size_t>(tiles), -1);
    for (int tile = 0; tile < tiles; ++tile) {
        const operation *const running = stopped.running(tile);
        if (running == nullptr) {
            continue;
        }
        const bool sending = running->what == action::send;
        const int other = sending ? stopped.network().stopped_by(tile) : running->awaits;
        found.waits.push_back({tile, other, sending});
        waits_for[static_cast<std::size_t>(tile)] = other;
    }
    found.ring = find_ring(waits_for);
    return found;
}

std::string describe(const standstill &described, std::size_t most) {
    std::string text;
    if (!described.ring.empty()) {
        text = "ring of waits:";
        for (const int tile : described.ring) {
            text += " " + std::to_string(tile) + " ->";
        }
        text += " " + std::to_string(described.ring.front()) + "\n";
    }
    std::vector<wait_of_tile> ordered = described.waits;
    std::stable_partition(ordered.begin(), ordered.end(), [&](const wait_of_tile &wait) {
        return std::find(described.ring.begin(), described.ring.end(), wait.tile) != described.ring.end();
    });
    for (std::size_t i = 0; i < std::min(most, ordered.size()); ++i) {
        text += sentence_for(ordered[i]) + "\n";
    }
    if (ordered.size() > most) {
        text += "and " + std::to_string(ordered.size() - most) + " more\n";
    }
    return text;
}

} // namespace lisle::tile
