// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace lisle::rma {

/// The members of a window that have failed. Thread-safe.
class failed_members {
  public:
    void add(int member) {
        const std::scoped_lock guard{mutex_};
        if (std::ranges::find(failed_, member) == failed_.end()) {
            failed_.push_back(member);
        }
        any_.store(true, std::memory_order_relaxed);
    }
    /// Relaxed: a hint. A rank that waits asks again and again.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool contain(int member) const {
        const std::scoped_lock guard{mutex_};
        return std::ranges::find(failed_, member) != failed_.end();
    }

  private:
    mutable std::mutex mutex_; ///< protects failed_
    std::vector<int> failed_;
    std::atomic<bool> any_{false};
};

} // namespace lisle::rma
