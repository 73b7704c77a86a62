// SPDX-License-Identifier: Apache-2.0
// Tells of fibers that keep their worker to themselves (LISLE_WATCHDOG): one that looks again and again for
// what another fiber of its worker is to do, without a call in which fibers take turns, never sees it.
#pragma once

#include "execution/fiber_worker.hpp"

namespace lisle {

/// While one lives, the calling thread's worker is looked at once in so many seconds, by a thread that all
/// workers of the process share, if LISLE_WATCHDOG asks for it. A fiber that has run since the last look
/// while others could is named once, on standard error, with its place in the program and the ranks that it
/// keeps waiting.
class fiber_watchdog {
  public:
    /// @param first_rank number in the job of the process's first rank
    fiber_watchdog(const fiber_worker &worker, int first_rank);
    ~fiber_watchdog();
    fiber_watchdog(const fiber_watchdog &) = delete;
    fiber_watchdog &operator=(const fiber_watchdog &) = delete;

  private:
    const fiber_worker &worker_;
};

} // namespace lisle
