// SPDX-License-Identifier: Apache-2.0
// The ranks that have died, as far as this one knows.
#pragma once

#include <atomic>
#include <vector>

namespace lisle::tasks {

class lost_ranks {
  public:
    explicit lost_ranks(int ranks) : is_lost_(static_cast<std::size_t>(ranks)) {}

    /// Any thread. Relaxed: a thread that notes here what a lost rank owes does it under the lock under which
    /// that is taken afterwards, so it sees the rank or is seen.
    [[nodiscard]] bool has(int rank) const noexcept {
        return is_lost_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
    }
    /// In the order in which this rank has learnt of them. The rank's own thread, as what follows.
    [[nodiscard]] const std::vector<int> &all() const noexcept { return all_; }
    /// False: it is known.
    [[nodiscard]] bool add(int rank) {
        if (has(rank)) {
            return false;
        }
        all_.push_back(rank);
        is_lost_[static_cast<std::size_t>(rank)].store(true, std::memory_order_relaxed);
        return true;
    }

  private:
    std::vector<std::atomic<bool>> is_lost_;
    std::vector<int> all_;
};

} // namespace lisle::tasks
