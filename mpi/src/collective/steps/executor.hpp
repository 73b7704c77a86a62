// SPDX-License-Identifier: Apache-2.0
// Runs a schedule, as far as it goes without waiting or to its end. Everything above the steps (who
// waits, who may come in) is the caller's business: one thread at a time may be inside.
#pragma once

#include <string>

#include "collective/steps/local_steps.hpp"
#include "collective/steps/schedule.hpp"
#include "protocol/message/request.hpp"

namespace lisle::collective {

class executor {
  public:
    /// @param plan left alone if it throws, for lack of memory
    explicit executor(schedule &&plan);
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    /// Waits for what has begun: the memory it uses goes away here.
    ~executor();

    /// @param tag what tells this operation's messages from those of others on the same channels; said before
    /// the first step
    void use_tag(int tag) noexcept { tag_ = tag; }
    /// Goes back to the first step. @pre at the end
    void restart() noexcept;
    /// Goes on until something must be waited for; true at the end of the schedule.
    bool advance();
    /// Goes on to the end, waiting where needed.
    void run();

    /// The first error that a message ended with, or MPI_SUCCESS. An error does not stop the schedule, so
    /// that this rank's partners are not left waiting.
    [[nodiscard]] int error() const noexcept { return error_ != MPI_SUCCESS ? error_ : local_.error(); }
    /// The error in a sentence. @pre error() != MPI_SUCCESS
    [[nodiscard]] std::string describe() const;
    /// The rank whose message it is about. @pre error() != MPI_SUCCESS
    [[nodiscard]] int failed_peer() const;

  private:
    /// True if the message of this step is complete (or the step has none); frees its request.
    bool settle(step_index index);
    bool settle_all();
    /// Of a message that is complete. One that is too short is an error where calls are checked.
    [[nodiscard]] int error_of(step_index index, const protocol::outcome &result) const;

    bool take(const send_step &step);
    bool take(const receive_step &step);
    bool take(const await_step &step);
    bool take(const await_all_step &step);
    /// All others need no messages.
    template <class Step> bool take(const Step &step) { return local_.take(step); }

    static constexpr step_index none = UINT32_MAX;

    small_vector<protocol::request *, 8> requests_; ///< by step; null: none, or complete
    schedule plan_;
    local_steps local_;
    int tag_ = 0;
    step_index next_ = 0;           ///< the step to take next
    step_index settled_ = 0;        ///< all steps before this one are complete
    step_index waiting_for_ = none; ///< the step whose message advance() stopped for; none: an area
    int error_ = MPI_SUCCESS;       ///< of messages
    step_index failed_ = 0;         ///< the step that error_ is from
    MPI_Count received_ = 0;        ///< bytes of its message
};

} // namespace lisle::collective
