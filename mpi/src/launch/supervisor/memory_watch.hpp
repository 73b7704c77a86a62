// SPDX-License-Identifier: Apache-2.0
// Tells whether the kernel has ended a process of the job because the memory limit of its control group was
// reached. The kernel counts that for each group; the wait status only says SIGKILL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/control_groups.hpp"

namespace lisle::launch {

class memory_watch {
  public:
    /// @param groups of the job's processes, the innermost first
    explicit memory_watch(std::vector<control_group> groups = control_groups("memory"));

    /// The reason for a SIGKILL, to be put behind a sentence; empty if the kernel has ended no process of the
    /// group since this was asked last.
    [[nodiscard]] std::string explain_kill();

  private:
    [[nodiscard]] std::uint64_t kills() const;
    std::vector<control_group> groups_;
    std::uint64_t told_; ///< of kills()
};

} // namespace lisle::launch
