// SPDX-License-Identifier: Apache-2.0
// Which rank has started which child: the end of a child is told to that rank, and only that rank waits for
// it.
#pragma once

#include "launch/host/signals/rank_signals.hpp"

#include <sys/types.h>

namespace lisle::host {

/// While one of these lives, a child of the calling rank begins; the end of an unknown one is kept until its
/// number is known, if a rank of the process has asked for SIGCHLD.
class child_start {
  public:
    child_start();
    ~child_start();
    child_start(const child_start &) = delete;
    child_start &operator=(const child_start &) = delete;
    /// The child's number.
    void began(pid_t child);

  private:
    hosted_rank *const rank_;
};

/// SIGCHLD has come: tells the ranks whose children have changed their state. False: none of known children
/// has. Async-signal-safe.
bool tell_of_children_locked(const siginfo_t &information) noexcept;

} // namespace lisle::host
