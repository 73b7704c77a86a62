// SPDX-License-Identifier: Apache-2.0
#include "task/machine/tile_team.hpp"

#include <algorithm>

namespace lisle::tasks {

tile_team::~tile_team() {
    stop();
}

void tile_team::start() {
    if (size() > 1) {
        transport_.expect_wakes();
        for (const auto &each : tiles_) {
            threads_.emplace_back([&tile = *each] { tile.work(); });
        }
    }
}

void tile_team::stop() {
    for (const auto &each : tiles_) {
        each->stop();
    }
    for (std::thread &each : threads_) {
        each.join();
    }
    threads_.clear();
}

tile &tile_team::least_loaded() const noexcept {
    return **std::ranges::min_element(tiles_, {}, [](const auto &each) { return each->waiting(); });
}

bool tile_team::steal(const tile *thief, task &stolen, unsigned &first) const {
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        const std::size_t victim = (first + i) % tiles_.size();
        if (tiles_[victim].get() != thief && tiles_[victim]->ready().steal(stolen)) {
            first = static_cast<unsigned>(victim);
            return true;
        }
    }
    return false;
}

bool tile_team::wake_another(const tile &awake) const {
    return steals_ && any_asleep() && std::ranges::any_of(tiles_, [&awake](const auto &each) {
               return each.get() != &awake && each->wake_if_asleep();
           });
}

bool tile_team::wake_one() const {
    return any_asleep() &&
           std::ranges::any_of(tiles_, [](const auto &each) { return each->wake_if_asleep(); });
}

void tile_team::wake_all() const {
    for (const auto &each : tiles_) {
        each->wake_if_asleep();
    }
}

bool tile_team::has_tasks(bool throttled) const noexcept {
    return (!throttled && !shared_.is_empty()) || std::ranges::any_of(tiles_, [throttled](const auto &each) {
               return each->has_posts() || each->begins_withheld() ||
                      (!throttled && (each->ready().size() > 0 || each->has_withheld()));
           });
}

bool tile_team::has_tasks_for(const tile &looking, bool throttled) const noexcept {
    if (looking.has_posts() || looking.begins_withheld()) {
        return true;
    }
    return !throttled && (looking.has_withheld() || !shared_.is_empty() ||
                          std::ranges::any_of(tiles_, [&](const auto &each) {
                              return (steals_ || each.get() == &looking) && each->ready().size() > 0;
                          }));
}

} // namespace lisle::tasks
