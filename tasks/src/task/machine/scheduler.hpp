// SPDX-License-Identifier: Apache-2.0
// One rank's part of the machine, put together: it starts programs, drives parcels and tasks until they have
// ended, and is what tiles turn to with tasks that concern others. The rank's own thread moves parcels; with
// one tile it is that tile, too.
#pragma once

#include <atomic>
#include <chrono>

#include "task/machine/receiver.hpp"

namespace lisle::tasks {

class scheduler {
  public:
    scheduler(const registry &kernels, transport &between, const machine_options &options);
    scheduler(const scheduler &) = delete;
    scheduler &operator=(const scheduler &) = delete;
    ~scheduler();

    // For the machine.
    std::uint64_t start(const source &program);
    value wait(std::uint64_t program, std::string &file);
    [[nodiscard]] bool is_complete(std::uint64_t program);
    void cancel(std::uint64_t program);
    void work_until(const std::function<bool()> &until) { drive(until); }
    void finish();
    [[nodiscard]] machine_counts counts() const;
    [[nodiscard]] const std::vector<trace_event> &trace() const noexcept { return own_.trace.events; }
    [[nodiscard]] const tile_place &first_place() const noexcept { return own_.tiles[0].place(); }
    void print_to(std::function<void(const std::string &)> print) { own_.printer.print_to(std::move(print)); }

    // For tiles; any thread.
    [[nodiscard]] rank_parts &parts() noexcept { return own_; }
    [[nodiscard]] sender &to_others() noexcept { return sender_; }
    /// Whether it has to be asked where an expression runs.
    [[nodiscard]] bool places(const node &expression) const noexcept {
        return expression.is_placed || (expression.what == op::kernel && spreads_kernels());
    }
    [[nodiscard]] bool spreads_kernels() const noexcept {
        return own_.options.where == spread::round_robin || own_.options.where == spread::least_loaded;
    }
    /// Gives a task to a tile of this rank.
    void post(int tile, const task &ready);
    /// Sends a task to a tile of any rank, now or when that rank has room. Takes over the task's activation.
    void dispatch(tile &from, task &placed, int target);
    /// The tile for an expression without a number; -1: any.
    int choose_tile(tile &from, const node &expression, activation &variables);
    /// True if a tile sleeps or a rank has asked for work.
    [[nodiscard]] bool waits_for_work() const noexcept {
        return own_.tiles.any_asleep() || own_.requests.any();
    }
    /// Gives a task to whichever tile takes it first. Any thread.
    void share(const task &ready, std::int64_t priority);
    /// All versions of blocks that an update reads are there. Any thread. @param tile whose update it is
    void begin_update(int tile, record &ready, std::int64_t priority);
    /// A tile has a new task that others may steal.
    void announce_work(tile &from);
    /// Before a kernel, which may take long: gives others work and takes in parcels.
    void before_kernel();
    /// Completes the program if all objects in its result are on this rank. @return false: they are fetched
    /// first, and the task is run again
    bool complete_program(tile &by, task &root);
    /// An operation on a cell of any rank. `then` gets what it gives, or a failure.
    void use_cell(parcel_request what, const value &which, value given, continuation then);

  private:
    void drive(const std::function<bool()> &until);
    bool make_progress();
    [[nodiscard]] bool is_idle() const;
    void when_idle();
    void judge_token();
    void pass_token();
    void begin(program_state &loaded);
    void forget(std::uint64_t program);
    int next_in_turn();
    int least_loaded_tile(const tile &from) const;
    int owner_tile(tile &from, const node &expression, activation &variables) const;
    void gather_trace();

    rank_parts own_;
    sender sender_{own_};
    losses losses_{own_, sender_};
    receiver receiver_;
    std::atomic<unsigned> turn_{0};              ///< of round robin; relaxed, any number will do
    std::atomic<bool> is_woken_for_work_{false}; ///< relaxed: the rank's thread has been woken already
    std::chrono::steady_clock::time_point last_poll_{};
};

} // namespace lisle::tasks
