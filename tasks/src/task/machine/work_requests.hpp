// SPDX-License-Identifier: Apache-2.0
// Requests for work: of idle ranks that want tasks of this one, and of this rank to others.
#pragma once

#include <atomic>
#include <vector>

namespace lisle::tasks {

/// Belongs to the rank's own thread, but for any().
class work_requests {
  public:
    explicit work_requests(int ranks) : has_asked_(static_cast<std::size_t>(ranks)) {}

    /// Whether some rank wants work. Sequentially consistent, any thread: a tile pushes a task and then looks
    /// here; a rank whose request arrives is noted here first, and then the tiles' tasks are looked at. One
    /// of the two sees the other.
    [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_seq_cst) > 0; }

    void add(int rank) {
        waiting_.push_back(rank);
        count_.store(static_cast<int>(waiting_.size()), std::memory_order_seq_cst);
    }
    /// The one that came last. @pre any()
    int take() {
        const int rank = waiting_.back();
        waiting_.pop_back();
        count_.store(static_cast<int>(waiting_.size()), std::memory_order_seq_cst);
        return rank;
    }

    /// Notes that this rank asks another. False: it has asked already, and has no answer yet.
    [[nodiscard]] bool begin_asking(int rank) {
        if (has_asked_[static_cast<std::size_t>(rank)]) {
            return false;
        }
        return has_asked_[static_cast<std::size_t>(rank)] = true;
    }
    void answered(int rank) { has_asked_[static_cast<std::size_t>(rank)] = false; }
    /// A rank has died: it wants nothing any more, and never answers.
    void lose(int rank) {
        std::erase(waiting_, rank);
        count_.store(static_cast<int>(waiting_.size()), std::memory_order_seq_cst);
        has_asked_[static_cast<std::size_t>(rank)] = true;
    }

  private:
    std::vector<int> waiting_;
    std::vector<bool> has_asked_;
    std::atomic<int> count_{0};
};

} // namespace lisle::tasks
