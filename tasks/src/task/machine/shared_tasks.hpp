// SPDX-License-Identifier: Apache-2.0
// Tasks that any tile of the rank may take, the most urgent first and of equals the one that came first:
// those with a priority, and updates of blocks. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>

#include "task/machine/activation.hpp"

namespace lisle::tasks {

class shared_tasks {
  public:
    /// The lowest priority that a tile takes: before its own tasks, after these, when there are no others.
    enum class least : std::int64_t { urgent = 1, usual = 0, any = std::numeric_limits<std::int64_t>::min() };

    void put(const task &ready, std::int64_t priority) {
        const std::scoped_lock guard{mutex_};
        tasks_[priority].push_back(ready);
        highest_.store(tasks_.begin()->first, std::memory_order_relaxed);
        // Sequentially consistent: the tile looks for sleepers next, and a tile looks here after it has noted
        // that it sleeps; one of the two sees the other.
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
    /// The most urgent one, if its priority is not below.
    bool take(task &taken, least wanted) {
        // Relaxed: a hint, looked at again under the lock.
        if (is_empty() || highest_.load(std::memory_order_relaxed) < static_cast<std::int64_t>(wanted)) {
            return false;
        }
        const std::scoped_lock guard{mutex_};
        if (tasks_.empty() || tasks_.begin()->first < static_cast<std::int64_t>(wanted)) {
            return false;
        }
        auto &first = tasks_.begin()->second;
        taken = first.front();
        first.pop_front();
        if (first.empty()) {
            tasks_.erase(tasks_.begin());
        }
        highest_.store(tasks_.empty() ? 0 : tasks_.begin()->first, std::memory_order_relaxed);
        count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_seq_cst);
        return true;
    }
    /// Sequentially consistent: the rank's thread finds out from this whether it is idle.
    [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }

  private:
    std::mutex mutex_; ///< for tasks_
    std::map<std::int64_t, std::deque<task>, std::greater<>> tasks_;
    std::atomic<std::size_t> count_{0};    ///< of tasks_, so that a look needs no lock
    std::atomic<std::int64_t> highest_{0}; ///< priority in tasks_. Relaxed: a hint
};

} // namespace lisle::tasks
