// SPDX-License-Identifier: Apache-2.0
// The children of each rank: waiting for any child must not take those of other ranks, and what children have
// used is their parent's.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <mutex>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace lisle::host {

class own_children {
  public:
    /// The rank has started this child.
    void add(pid_t child);
    /// It has been waited for, and has used this.
    void remove(pid_t child, const rusage &used);
    /// Those that nobody has waited for.
    [[nodiscard]] std::vector<pid_t> all();
    /// What those have used that have been waited for.
    [[nodiscard]] rusage used();

  private:
    std::mutex mutex_; ///< protects what is below
    std::vector<pid_t> numbers_;
    rusage used_{};
};

inline const rank_slot<own_children> rank_children;

/// Adds what somebody has used to what others have.
void add_usage(rusage &sum, const rusage &more) noexcept;

} // namespace lisle::host
