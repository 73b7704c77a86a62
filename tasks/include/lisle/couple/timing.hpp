// SPDX-License-Identifier: Apache-2.0
// When a component has values, when another one wants them, and what becomes of the first on the way to the
// second.
#pragma once

#include <cstdint>
#include <limits>

namespace lisle::couple {

/// Time is counted in quanta: whole numbers, so that no two models disagree about it.
using ticks = std::int64_t;
inline constexpr ticks end_of_time = std::numeric_limits<ticks>::max();

/// The times of a component: offset, offset + period, ... before the end. What it has at one holds until the
/// next.
struct steps {
    ticks period = 1; ///< at least 1
    ticks offset = 0;
    ticks end = 0;

    [[nodiscard]] std::int64_t count() const noexcept {
        return end <= offset ? 0 : (end - offset - 1) / period + 1;
    }
    [[nodiscard]] ticks time(std::int64_t step) const noexcept { return offset + step * period; }
    /// The last step that is not after this time, of steps without beginning or end.
    [[nodiscard]] std::int64_t step_at(ticks time) const noexcept {
        const ticks since = time - offset;
        return since >= 0 ? since / period : -((-since - 1) / period) - 1;
    }
    /// The times that are so far apart, from the first one on; 0: all. @pre a multiple of the period
    [[nodiscard]] steps spaced(ticks apart) const noexcept {
        return {apart == 0 ? period : apart, offset, end};
    }
    bool operator==(const steps &) const = default;
};

/// What the receiver gets at a time. Intervals are those from one time to the next at which it gets
/// something.
enum class over_time {
    latest, ///< the value at the time, or the last one before it
    linear, ///< the straight line through the values before and after
    mean,   ///< of the interval, each value for as long as it held
    sum, ///< of the interval: values are amounts of their steps, of which none is lost and none comes twice
    minimum, ///< of the values that held in the interval
    maximum, ///< the same
};

/// What of a sender's steps a receiver's step is made of. Before the sender's first value the first one
/// holds, after its last one the last, but a sum has nothing there.
struct ingredients {
    std::int64_t first = 0, last = -1; ///< steps of the sender; none if last < first
    [[nodiscard]] bool none() const noexcept { return last < first; }
    bool operator==(const ingredients &) const = default;
};

/// How the steps of two components meet. Pure arithmetic: both sides compute the same and need not talk about
/// it.
class timetable {
  public:
    /// @param lag the receiver gets what belongs to a time so much earlier
    timetable(const steps &sender, const steps &receiver, over_time how, ticks lag) noexcept;

    [[nodiscard]] const steps &sender() const noexcept { return sender_; }
    [[nodiscard]] const steps &receiver() const noexcept { return receiver_; }
    [[nodiscard]] over_time how() const noexcept { return how_; }
    /// True if messages carry values of the sender's steps as they are; else one message is computed for each
    /// step of the receiver.
    [[nodiscard]] bool sends_values() const noexcept {
        return how_ == over_time::latest || how_ == over_time::linear;
    }

    [[nodiscard]] ingredients of_step(std::int64_t receiver_step) const noexcept;
    /// The factor of an ingredient in the sum that makes a value; 1 where none is summed up.
    [[nodiscard]] double weight(std::int64_t receiver_step, std::int64_t sender_step) const noexcept;
    /// True if a step of the receiver has what the step before it had, so that nothing needs to be sent.
    [[nodiscard]] bool repeats(std::int64_t receiver_step) const noexcept;
    /// True if a message is made for a step of the receiver. @pre !sends_values()
    [[nodiscard]] bool is_sent(std::int64_t receiver_step) const noexcept {
        return !of_step(receiver_step).none() && !repeats(receiver_step);
    }
    /// False: no step of the receiver does.
    [[nodiscard]] bool may_repeat() const noexcept;
    /// True if some step of the receiver is made of this one of the sender.
    [[nodiscard]] bool is_wanted(std::int64_t sender_step) const noexcept;
    /// The first step of the receiver that is made of this one. @pre is_wanted(sender_step)
    [[nodiscard]] std::int64_t first_user(std::int64_t sender_step) const noexcept;

  private:
    /// The time whose values the receiver gets at a step.
    [[nodiscard]] ticks wanted_time(std::int64_t receiver_step) const noexcept {
        return receiver_.time(receiver_step) - lag_;
    }
    [[nodiscard]] std::int64_t clamped(std::int64_t sender_step) const noexcept;
    /// How long a step of the sender held within the interval of the receiver's.
    [[nodiscard]] ticks overlap(std::int64_t receiver_step, std::int64_t sender_step) const noexcept;
    [[nodiscard]] ingredients of_interval(std::int64_t receiver_step) const noexcept;

    steps sender_, receiver_;
    over_time how_;
    ticks lag_;
    std::int64_t last_; ///< the sender's last step
};

} // namespace lisle::couple
