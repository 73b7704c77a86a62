// SPDX-License-Identifier: Apache-2.0
// Tasks that a tile has been given, by any thread.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "task/machine/activation.hpp"

namespace lisle::tasks {

class inbox {
  public:
    void put(const task &placed) {
        const std::scoped_lock guard{mutex_};
        tasks_.push_back(placed);
        count_.store(tasks_.size(), std::memory_order_seq_cst);
    }
    /// The first. @param is_last it was the only one
    bool take(task &taken, bool &is_last) {
        if (is_empty()) {
            return false;
        }
        const std::scoped_lock guard{mutex_};
        taken = tasks_.front();
        tasks_.pop_front();
        is_last = tasks_.empty();
        count_.store(tasks_.size(), std::memory_order_seq_cst);
        return true;
    }
    /// Sequentially consistent: the rank's thread finds out from this whether it is idle.
    [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }
    /// Relaxed: a hint.
    [[nodiscard]] std::size_t size() const noexcept { return count_.load(std::memory_order_relaxed); }

  private:
    std::mutex mutex_; ///< for tasks_
    std::deque<task> tasks_;
    std::atomic<std::size_t> count_{0}; ///< tasks_.size(), so that a look needs no lock
};

} // namespace lisle::tasks
