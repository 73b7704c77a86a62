// SPDX-License-Identifier: Apache-2.0
// What pthread_atfork registers: a rank's handlers run when that rank forks, not when another one does.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <mutex>
#include <vector>

namespace lisle::host {

class fork_handlers {
  public:
    using handler = void (*)();
    void add(handler before, handler in_parent, handler in_child);
    /// Run in the order that POSIX wants: the last registered first before the fork, the first one first
    /// after.
    void run_before();
    void run_in_parent();
    void run_in_child();

  private:
    struct entry {
        handler before, in_parent, in_child;
    };
    void run(handler entry::*which, bool last_first);

    std::mutex mutex_; ///< protects the list while it is read or grows; not while handlers run
    std::vector<entry> entries_;
};

inline const rank_slot<fork_handlers> rank_fork_handlers;

} // namespace lisle::host
