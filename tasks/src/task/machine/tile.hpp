// SPDX-License-Identifier: Apache-2.0
// A tile: runs tasks one after the other, those that it has been given, its own, and those of other tiles.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "task/machine/deque.hpp"
#include "task/machine/inbox.hpp"
#include "task/machine/reducer.hpp"

namespace lisle::tasks {

class tile {
  public:
    tile(scheduler &of_rank, int number, const tile_place &where);
    tile(const tile &) = delete;
    tile &operator=(const tile &) = delete;
    ~tile();

    /// Runs one task, if there is one: from the inbox, the tile's own, or one of another tile of the rank.
    bool run_one();
    /// The function of a tile's thread: runs tasks and sleeps when there are none, until stop().
    void work();
    void stop();

    /// Gives the tile a task that only it may run. Any thread.
    void post(const task &placed);
    /// A task has used up its turn: others come next. The tile's own thread.
    void go_on_later(const task &unfinished);
    /// For thieves.
    [[nodiscard]] task_deque &ready() noexcept { return ready_; }
    [[nodiscard]] std::size_t waiting() const noexcept;
    /// Wakes it if it sleeps. @return whether it did
    bool wake_if_asleep();
    [[nodiscard]] bool has_posts() const noexcept { return !inbox_.is_empty(); }
    /// Whether tasks that were given to it wait until this rank has room at others again.
    [[nodiscard]] bool has_withheld() const noexcept {
        return withheld_count_.load(std::memory_order_seq_cst) != 0;
    }
    /// Lets all of these begin nevertheless: all ranks wait for each other. The rank's own thread.
    void begin_withheld();
    /// Whether it has been told so and has not done it yet.
    [[nodiscard]] bool begins_withheld() const noexcept {
        return begins_withheld_.load(std::memory_order_seq_cst);
    }
    [[nodiscard]] int number() const noexcept { return number_; } ///< in the rank
    [[nodiscard]] const tile_place &place() const noexcept { return place_; }
    [[nodiscard]] block_pool &pool() noexcept { return pool_; }
    [[nodiscard]] reducer &evaluation() noexcept { return reducer_; }
    /// Tasks taken from other tiles. Only the tile's own thread, or, when it sleeps or has ended, the rank's.
    [[nodiscard]] std::uint64_t stolen() const noexcept { return stolen_; }

  private:
    /// What has just used up its turn.
    enum class put_back : std::uint8_t { nothing, own, placed };
    bool take_others(task &next);
    bool take_next(task &next);
    bool take_post(task &taken);
    bool take_withheld(task &taken);
    void begin(task &taken, bool is_last);
    bool steal_nearby(task &stolen);
    void sleep();
    [[nodiscard]] bool is_asleep() const noexcept { return is_asleep_.load(std::memory_order_seq_cst); }

    scheduler &scheduler_;
    const int number_;
    const tile_place place_;
    block_pool pool_;
    task_deque ready_;
    inbox inbox_;
    reducer reducer_;
    unsigned turn_ = 0; ///< the tile to steal from next
    put_back put_back_ = put_back::nothing;
    std::uint64_t stolen_ = 0;
    std::deque<task> withheld_;
    // Sequentially consistent, as the inbox's count: the rank's thread finds out from these whether it is
    // idle.
    std::atomic<std::size_t> withheld_count_{0};
    std::atomic<bool> begins_withheld_{false};

    std::mutex mutex_; ///< for is_stopped_ and sleeping
    std::condition_variable awake_;
    std::atomic<bool> is_asleep_{false};
    bool is_stopped_ = false;
};

} // namespace lisle::tasks
