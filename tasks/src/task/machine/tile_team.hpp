// SPDX-License-Identifier: Apache-2.0
// The tiles of one rank and their threads: the choice of a tile for a task, stealing among tiles, and whether
// all sleep.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "task/machine/shared_tasks.hpp"
#include "task/machine/tile.hpp"

namespace lisle::tasks {

class tile_team {
  public:
    /// @param steals tiles may take each other's tasks
    explicit tile_team(transport &between, bool steals) noexcept : transport_{between}, steals_{steals} {}
    ~tile_team();

    void add(std::unique_ptr<tile> fresh) { tiles_.push_back(std::move(fresh)); }
    /// Gives each tile a thread, unless there is one tile: that is the rank's own thread.
    void start();
    void stop();

    [[nodiscard]] int size() const noexcept { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] tile &operator[](int index) const noexcept {
        return *tiles_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] auto begin() const noexcept { return tiles_.begin(); }
    [[nodiscard]] auto end() const noexcept { return tiles_.end(); }

    /// The one that has the least to do.
    [[nodiscard]] tile &least_loaded() const noexcept;
    /// A task of any tile but `thief`, the first looked at being number `first`, which becomes the tile that
    /// had one.
    bool steal(const tile *thief, task &stolen, unsigned &first) const;
    /// Whether a tile sleeps. Sequentially consistent, as work_requests::any().
    [[nodiscard]] bool any_asleep() const noexcept { return asleep_.load(std::memory_order_seq_cst) > 0; }
    /// Whether all tiles that are threads sleep.
    [[nodiscard]] bool all_asleep() const noexcept {
        return size() == 1 || asleep_.load(std::memory_order_seq_cst) == size();
    }
    /// Wakes a tile that sleeps, other than this one, if tiles steal. @return whether there was one
    bool wake_another(const tile &awake) const;
    /// Wakes a tile that sleeps. @return whether there was one
    bool wake_one() const;
    void wake_all() const;
    /// Tasks that any tile may take.
    [[nodiscard]] shared_tasks &shared() noexcept { return shared_; }
    /// How often a tile has been woken. Sequentially consistent: equal before and after a look at all tiles
    /// means that none was woken meanwhile.
    [[nodiscard]] std::uint64_t wake_ups() const noexcept {
        return wake_ups_.load(std::memory_order_seq_cst);
    }
    /// Whether there is something that a tile could begin. @param throttled only what was placed may begin
    [[nodiscard]] bool has_tasks(bool throttled) const noexcept;
    /// The same for one tile, which may take the others' tasks.
    [[nodiscard]] bool has_tasks_for(const tile &looking, bool throttled) const noexcept;

    // For tiles.
    /// A tile says that it is about to sleep. @return whether all others do, or are about to
    [[nodiscard]] bool note_sleeping() noexcept {
        return asleep_.fetch_add(1, std::memory_order_seq_cst) + 1 == size();
    }
    void note_awake() noexcept {
        wake_ups_.fetch_add(1, std::memory_order_seq_cst);
        asleep_.fetch_sub(1, std::memory_order_seq_cst);
    }
    /// Wakes the rank's own thread.
    void call_rank() const { transport_.wake(); }

  private:
    transport &transport_;
    const bool steals_;
    shared_tasks shared_;
    std::vector<std::unique_ptr<tile>> tiles_;
    std::vector<std::thread> threads_;
    std::atomic<int> asleep_{0};
    std::atomic<std::uint64_t> wake_ups_{0};
};

} // namespace lisle::tasks
