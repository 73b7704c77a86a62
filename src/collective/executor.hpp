// SPDX-License-Identifier: Apache-2.0
// Runs a schedule, as far as it goes without waiting or to its end. Everything above the steps (who
// waits, who may come in) is the caller's business: one thread at a time may be inside.
#pragma once

#include <string>

#include "collective/schedule.hpp"
#include "protocol/request.hpp"

namespace lisle::collective {

class executor {
  public:
    /// @param tag what tells this operation's messages from those of others on the same channels
    executor(schedule plan, int tag);
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    /// Waits for what has begun: the memory it uses goes away here.
    ~executor();

    /// Goes back to the first step. @pre at the end
    void restart() noexcept;
    /// Goes on until something must be waited for; true at the end of the schedule.
    bool advance();
    /// Goes on to the end, waiting where needed.
    void run();

    /// The first error that a message ended with, or MPI_SUCCESS. An error does not stop the schedule, so
    /// that this rank's partners are not left waiting.
    [[nodiscard]] int error() const noexcept { return error_; }
    /// The error in a sentence. @pre error() != MPI_SUCCESS
    [[nodiscard]] std::string describe() const;
    /// The rank whose message it is about. @pre error() != MPI_SUCCESS
    [[nodiscard]] int failed_peer() const;

  private:
    /// True if the message of this step is complete (or the step has none); frees its request.
    bool settle(step_index index);
    bool settle_all();
    /// Goes on with `seen_` while `there(member)` holds; true at the end of the members.
    template <class Predicate> bool all_of(int first, int last, Predicate there);
    void note_error(int error, int peer) noexcept;

    bool take(const send_step &step);
    bool take(const receive_step &step);
    bool take(const copy_step &step);
    bool take(const reduce_step &step);
    bool take(const await_step &step);
    bool take(const await_all_step &step);
    bool take(const enter_step &step);
    bool take(const post_step &step);
    bool take(const show_step &step);
    bool take(const await_posts_step &step);
    bool take(const take_step &step);
    bool take(const reduce_posts_step &step);
    bool take(const finish_step &step);
    bool take(const await_finished_step &step);
    bool take(const read_step &step);
    bool take(const write_step &step);
    bool take(const reduce_shown_step &step);

    static constexpr step_index none = UINT32_MAX;

    schedule plan_;
    int tag_;
    std::uint64_t number_ = 0;      ///< of this operation on its board
    step_index next_ = 0;           ///< the step to take next
    step_index settled_ = 0;        ///< all steps before this one are complete
    step_index waiting_for_ = none; ///< the step whose message advance() stopped for; none: a board
    int seen_ = 0;                  ///< members that the step which waits for several has seen already
    int error_ = MPI_SUCCESS;
    step_index failed_ = 0; ///< the step that error_ is from
    int failed_peer_ = 0;
    small_vector<protocol::request *, 8> requests_; ///< by step; null: none, or complete
};

} // namespace lisle::collective
