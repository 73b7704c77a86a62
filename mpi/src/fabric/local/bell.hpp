// SPDX-License-Identifier: Apache-2.0
// How senders wake the owner of a mailbox: at its doorbell, which lies in memory that all share, or through a
// pipe, where jobs share no doorbells.
#pragma once

#include "execution/doorbell.hpp"
#include "fabric/local/wake_pipe.hpp"

namespace lisle::fabric {

/// What it names outlives it.
class bell {
  public:
    bell(doorbell &of) noexcept : doorbell_{&of} {}
    bell(local::pipe_bell &of) noexcept : pipe_{&of} {}

    void ring() const noexcept {
        if (doorbell_ != nullptr) [[likely]] {
            doorbell_->ring();
        } else {
            pipe_->ring();
        }
    }
    /// True if the owner's process is known to have ended.
    [[nodiscard]] bool owner_ended() const noexcept { return pipe_ != nullptr && pipe_->owner_ended(); }

  private:
    doorbell *doorbell_ = nullptr;
    local::pipe_bell *pipe_ = nullptr;
};

} // namespace lisle::fabric
