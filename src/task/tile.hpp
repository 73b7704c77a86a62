// SPDX-License-Identifier: Apache-2.0
// A tile: evaluates tasks one after the other, with kernel objects and ready tasks of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "task/deque.hpp"
#include "task/remote.hpp"
#include <lisle/task/machine.hpp>

namespace lisle::tasks {

class tile {
  public:
    tile(engine &machine, int number, const tile_place &where);
    tile(const tile &) = delete;
    tile &operator=(const tile &) = delete;
    ~tile();

    /// Runs one task, if there is one: from the inbox, the tile's own, or one of another tile of the rank.
    bool run_one();
    /// What a tile's thread does: runs tasks and sleeps when there are none, until stop().
    void work();
    void stop();

    /// Gives the tile a task that only it may run. Any thread.
    void post(const task &placed);
    /// For thieves.
    task_deque &ready() noexcept { return ready_; }
    [[nodiscard]] std::size_t waiting() const noexcept;
    /// Wakes it if it sleeps. @return whether it did
    bool wake_if_asleep();
    /// Sequentially consistent: see engine::announce_work.
    [[nodiscard]] bool is_asleep() const noexcept { return is_asleep_.load(std::memory_order_seq_cst); }
    [[nodiscard]] bool has_posts() const noexcept { return posts_.load(std::memory_order_seq_cst) != 0; }
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
    [[nodiscard]] const tile_place &place() const noexcept { return place_; }
    block_pool &pool() noexcept { return pool_; }
    [[nodiscard]] std::vector<trace_event> &events() noexcept { return events_; }

    // Only the tile's own thread, or, when it sleeps or has ended, the rank's.
    std::uint64_t kernels_run = 0, stolen = 0;

  private:
    // evaluate.cpp: each does one step and returns whether `now` goes on.
    void run(task &now);
    bool step(task &now);
    bool choose(task &now, const value &condition);
    bool refuse_condition(task &now, const value &condition);
    bool evaluate_simple(task &now);
    bool evaluate_arguments(task &now);
    bool call(task &now, frame &fresh, std::size_t arguments);
    bool enter_call(task &ready, frame &variables);
    bool perform(task &now, program_state &program, std::span<value> arguments);
    bool perform_kernel(task &now, program_state &program, std::span<value> arguments);
    bool perform_cell(task &now, std::span<value> arguments);
    bool run_closure(task &now, std::span<value> arguments);
    record *suspend(const task &now, program_state &program, std::uint32_t slots, std::uint32_t missing);
    void spawn(const task &ready);
    void share_tasks();
    bool place_task(task &now);
    void enter(task &now, const closure &function, std::span<value> arguments);
    bool quick(const node &expression, frame &variables, value &result) noexcept;
    void at_once(const node &expression, frame &variables, value &result);
    value simple(const node &expression, frame &variables);
    value simple_builtin(const node &expression, frame &variables);
    value simple_call(const node &expression, std::span<value> arguments);
    value fail(const task &now, std::string message, std::string kernel = {}) const;
    bool park(const task &now, std::vector<ref<remote_object>> missing);
    static void find_missing(const value &any, bool deep, std::vector<ref<remote_object>> &missing);
    void *kernel_object(std::size_t kernel);
    continuation deliver_later(const task &now);
    void drop(task &now) noexcept {
        if (now.variables != nullptr) {
            now.variables->drop(pool_);
            now.variables = nullptr;
        }
    }
    // sequences.cpp
    bool perform_sequence(task &now, std::span<value> arguments);
    bool split(task &now);
    bool split_loop(task &now);
    bool split_fold(task &now);
    void halve(task &loop);
    record *make_counter(const task &loop, std::uint32_t count);
    // records.cpp
    bool fire(task &now);
    bool fire_seq(task &now);
    bool fire_expression(task &now);
    bool deliver(task &now, value &&result);

    bool take_post(task &taken);
    bool pop_post(task &taken, bool &is_last);
    bool take_withheld(task &taken);
    void begin(task &taken, bool is_last);
    bool steal_nearby(task &stolen);
    void sleep();

    engine &engine_;
    const int number_; ///< in the rank
    const tile_place place_;
    block_pool pool_;
    task_deque ready_;
    std::vector<std::shared_ptr<void>> kernels_;
    std::vector<ref<remote_object>> blocked_on_; ///< what simple() has met
    std::vector<trace_event> events_;
    unsigned turn_ = 0; ///< whom to steal from
    std::deque<task> withheld_;
    // Sequentially consistent, as the posts' count: the rank's thread finds out from these whether it is
    // idle.
    std::atomic<std::size_t> withheld_count_{0};
    std::atomic<bool> begins_withheld_{false};

    mutable std::mutex mutex_; ///< for inbox_, is_stopped_ and sleeping
    std::deque<task> inbox_;
    std::atomic<std::size_t> posts_{0}; ///< inbox_.size(), so that a look needs no lock
    std::condition_variable awake_;
    std::atomic<bool> is_asleep_{false};
    bool is_stopped_ = false;

    friend class engine;
};

} // namespace lisle::tasks
