// SPDX-License-Identifier: Apache-2.0
// How many of a rank's signal handlers have run on its fiber: calls in which a fiber waits end with EINTR
// then, as the kernel makes those of a thread end.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <atomic>

namespace lisle::host {

/// Counted on the fiber's own thread, by signal handlers. Relaxed: they order nothing.
struct handler_counts {
    std::atomic<unsigned> all{0};
    std::atomic<unsigned> interrupting{0}; ///< of those that were set without SA_RESTART
};

inline const rank_slot<handler_counts> handlers_run;

/// Which handlers end a wait.
enum class ended_by : unsigned char {
    every_handler,  ///< of calls that the kernel never restarts: sleep, poll, select [signal(7)]
    without_restart ///< of all others
};

/// Tells whether a handler has run on the calling fiber since this was made.
class handler_watch {
  public:
    explicit handler_watch(ended_by which)
        : count_(which == ended_by::every_handler ? handlers_run.current().all
                                                  : handlers_run.current().interrupting),
          before_(count_.load(std::memory_order_relaxed)) {}
    [[nodiscard]] bool has_run() const { return count_.load(std::memory_order_relaxed) != before_; }

  private:
    const std::atomic<unsigned> &count_;
    const unsigned before_;
};

} // namespace lisle::host
