// SPDX-License-Identifier: Apache-2.0
// How a tile evaluates a task: step by step, without ever waiting. What becomes of a task is its own next
// step, other tasks, a record that waits, or a result that reaches such a record.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "task/machine/kernel_mark.hpp"
#include "task/machine/simple.hpp"
#include <lisle/task/machine.hpp>

namespace lisle::tasks {

class scheduler;
class tile;

class reducer {
  public:
    reducer(scheduler &of_rank, tile &own);

    /// Until there is no more to do, or for long enough.
    void run(task &now);
    /// The value of a simple expression.
    [[nodiscard]] value value_of(const node &expression, activation &variables) {
        return simple_.value_of(expression, variables);
    }
    /// Waits for objects of other ranks. @return false: the task does not go on by itself
    bool park(const task &now, std::vector<ref<remote_object>> missing);

    // Only the tile's own thread, or, when it sleeps or has ended, the rank's.
    [[nodiscard]] std::vector<trace_event> &events() noexcept { return events_; }
    [[nodiscard]] std::uint64_t kernels_run() const noexcept { return kernels_run_; }

  private:
    // reduce.cpp: each but the first does one step and returns whether `now` goes on.
    static bool is_cancelled(const task &now);
    bool step(task &now);
    bool choose(task &now, const value &condition);
    bool refuse_condition(task &now, const value &condition);
    bool evaluate_simple(task &now);
    bool evaluate_arguments(task &now);
    bool call(task &now, activation &fresh, std::size_t arguments);
    bool enter_call(task &ready, activation &variables);
    record *suspend(const task &now, program_state &program, std::uint32_t slots, std::uint32_t missing);
    // perform.cpp
    bool perform(task &now, program_state &program, std::span<value> arguments);
    bool perform_kernel(task &now, program_state &program, std::span<value> arguments);
    value call_builtin(const task &now, std::span<value> arguments);
    value call_kernel(const task &now, const program_state &program, std::span<value> arguments);
    bool run_closure(task &now, std::span<value> arguments);
    void enter(task &now, const closure &function, std::span<value> arguments);
    void *kernel_object(std::size_t kernel);
    // cells.cpp
    bool perform_cell(task &now, std::span<value> arguments);
    continuation deliver_later(const task &now);
    // blocks.cpp
    bool perform_update(task &now, program_state &program, std::span<value> arguments);
    void await_versions(record &ready, const std::vector<ref<cell>> &versions, std::int64_t priority);
    bool run_update(task &now);
    bool complete_update(task &now);
    // placing.cpp
    std::int64_t priority_of(const node &expression, activation &variables);
    void share_tasks();
    void spawn(const task &ready);
    bool place_task(task &now);
    // sequences.cpp
    bool perform_sequence(task &now, std::span<value> arguments);
    bool split(task &now);
    bool split_loop(task &now);
    bool split_fold(task &now);
    void halve(task &loop);
    bool begin_turns(task &now, const value &function, const value &sequence);
    bool next_turn(task &now);
    record *make_counter(const task &loop, std::uint32_t count);
    // records.cpp
    bool fire(task &now);
    bool fire_seq(task &now);
    bool fire_expression(task &now);
    bool deliver(task &now, value &&result);
    bool count_down(task &now, record &waiting);

    [[nodiscard]] value fail(const task &now, std::string message, std::string kernel = {}) const {
        return simple_.fail(now.expression, std::move(message), std::move(kernel));
    }
    void drop(task &now) noexcept {
        if (now.variables != nullptr) {
            now.variables->drop(pool_);
            now.variables = nullptr;
        }
    }

    scheduler &scheduler_;
    tile &tile_;
    block_pool &pool_; ///< the tile's
    simple_evaluator simple_;
    std::vector<std::shared_ptr<void>> kernels_; ///< objects, made at their first use
    std::vector<trace_event> events_;
    std::uint64_t kernels_run_ = 0;
    running_kernel running_;
};

/// The body of an update's function with the versions that it reads, in place of the update's record.
task body_of_update(record &ready, block_pool &pool);

/// The objects in a value that have to be fetched. @param deep also those in lists
void find_missing(const value &any, bool deep, std::vector<ref<remote_object>> &missing);

} // namespace lisle::tasks
