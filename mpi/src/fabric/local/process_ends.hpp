// SPDX-License-Identifier: Apache-2.0
// Which processes of other jobs have ended: no launcher tells, but their pidfds do.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/owned_descriptor.hpp"

namespace lisle::fabric::local {

/// Thread-safe, but for watch(). Processes are named by their numbers, from 0 on.
class process_ends {
  public:
    explicit process_ends(std::size_t processes);
    /// From now on the end of the process is noticed. False: the system offers no way to.
    [[nodiscard]] bool watch(std::size_t process, pid_t pid) noexcept;

    /// Readable: look() would find an end.
    [[nodiscard]] int descriptor() const noexcept { return news_.get(); }
    /// True if it has found one.
    bool look() noexcept;
    /// How many ends have been found. Acquire: what these processes had written is there.
    [[nodiscard]] std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
    /// The process whose end was found after `earlier` others. @pre earlier < count()
    [[nodiscard]] std::size_t after(std::size_t earlier) const noexcept { return ended_[earlier]; }
    /// True once the end of the process has been found. Relaxed: who is late sends what nobody reads.
    [[nodiscard]] const std::atomic<bool> &has(std::size_t process) const noexcept { return has_[process]; }

  private:
    owned_descriptor news_;               ///< an epoll of all lives
    std::mutex looking_;                  ///< protects lives_ and what is added to ended_
    std::vector<owned_descriptor> lives_; ///< pidfds; none: not watched, or ended
    std::vector<std::size_t> ended_;      ///< with room for all
    std::atomic<std::size_t> count_{0};   ///< of ended_; release by who adds one
    std::unique_ptr<std::atomic<bool>[]> has_;
};

} // namespace lisle::fabric::local
