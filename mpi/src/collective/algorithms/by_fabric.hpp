// SPDX-License-Identifier: Apache-2.0
// The collectives that the fabric of a communicator brings along, and how they write a schedule.
#pragma once

#include "collective/algorithms/fabric_collectives.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

/// Writes to a schedule.
class steps_of_schedule final : public message_steps {
  public:
    explicit steps_of_schedule(schedule &plan) noexcept : plan_{plan} {}
    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type) const override {
        return plan_.temporary(count, type);
    }
    [[nodiscard]] typed_buffer packed(MPI_Count bytes) const override { return plan_.packed(bytes); }
    [[nodiscard]] typed_buffer as_bytes(const typed_buffer &buffer, bool fill) const override {
        return collective::as_bytes(plan_, buffer, fill);
    }
    step_index send(const typed_buffer &buffer, const team &team, int peer) const override {
        return plan_.send(buffer, team, peer);
    }
    step_index receive(const typed_buffer &buffer, const team &team, int peer) const override {
        return plan_.receive(buffer, team, peer);
    }
    void copy(const typed_buffer &from, const typed_buffer &to) const override { plan_.copy(from, to); }
    void reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout) const override {
        plan_.reduce(operation, in, inout);
    }
    void await(step_index communication) const override { plan_.await(communication); }
    void await_all() const override { plan_.await_all(); }

  private:
    schedule &plan_; ///< not a part of this object: writing to it changes none
};

/// What the communicator's fabric has for its members, sought at the first call; null: nothing. Refers to the
/// communicator.
[[nodiscard]] const member_collectives *collectives_of_fabric(const communicator &comm);

} // namespace lisle::collective
