// SPDX-License-Identifier: Apache-2.0
// Flow control of placed tasks: a rank has a number of credits at each other one, gives up one for each task
// that it sends there, and gets it back when that task has begun. Tasks without a credit wait here; meanwhile
// the rank makes no more of them (it is throttled). Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "task/machine/activation.hpp"

namespace lisle::tasks {

struct placed_task {
    task what;
    int tile; ///< counted over all ranks
};

class task_credits {
  public:
    task_credits(int ranks, unsigned of_each) : of_each_{of_each}, ranks_(static_cast<std::size_t>(ranks)) {}

    /// Takes a credit at a rank; false: the task waits for one.
    bool take_or_keep(int rank, const placed_task &placed);
    /// The next task that waits for a rank, with a credit; false: there is none, or no credit.
    bool take_next(int rank, placed_task &next);
    /// Another rank gives credits back. False: more than it had.
    [[nodiscard]] bool come_back(int rank, std::uint64_t count);
    /// A rank has died: nothing is under way to it any more. @return the tasks that wait for it
    std::deque<placed_task> lose(int rank);
    /// True if that has ended the throttling.
    bool end_throttling();

    /// A task of another rank has begun. @param now the rank waits for it @return how many credits to give
    /// back now
    unsigned owe(int rank, bool now);

    /// Whether tasks wait here. Relaxed: a hint that changes what a tile does next, never whether it is
    /// right.
    [[nodiscard]] bool is_throttled() const noexcept { return throttled_.load(std::memory_order_relaxed); }
    /// Tasks sent to a rank that have not begun there.
    [[nodiscard]] unsigned under_way(int rank) const;
    [[nodiscard]] std::uint64_t most_waiting() const;

  private:
    struct of_rank {
        std::deque<placed_task> waiting;
        unsigned under_way = 0;
        unsigned owed = 0;
    };
    [[nodiscard]] of_rank &at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    const unsigned of_each_;
    std::atomic<bool> throttled_{false};
    mutable std::mutex mutex_; ///< for what follows
    std::vector<of_rank> ranks_;
    std::uint64_t most_waiting_ = 0;
};

} // namespace lisle::tasks
