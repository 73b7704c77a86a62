// SPDX-License-Identifier: Apache-2.0
// Work above the protocol that moves whenever its rank is in the library: schedules of non-blocking
// collectives. The engine owns one progressor_list and calls advance() on it in its progress loop,
// holding no lock, on a thread of the rank itself. Work that is finished leaves the list by itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lisle::protocol {

/// What one call of progressor::advance() has done.
enum class advanced : unsigned char { nothing, something, to_the_end };

/// One piece of work that needs more than one visit. Shared with the list that visits it, so it may be
/// given up by its creator while another thread is inside.
class progressor {
  public:
    virtual ~progressor() = default;
    /// Goes on as far as it can without waiting. Called with no lock held, and possibly by several
    /// threads at once: those that come while one is inside return `nothing`.
    virtual advanced advance() = 0;
};

/// The progressors of one rank. Thread-safety: any thread of the rank may call anything.
class progressor_list {
  public:
    void add(std::shared_ptr<progressor> work) {
        const std::lock_guard guard{mutex_};
        members_.push_back(std::move(work));
        count_.store(members_.size(), std::memory_order_relaxed);
    }

    /// One load: what the progress loop asks each time. A stale answer only delays to the next visit.
    [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

    /// Visits each member once and drops those that are at their end. True if any moved: then look again
    /// before sleeping, and wake threads of the rank that wait for a request. A visit from inside a
    /// visit (a progressor that sends) and from a second thread does nothing.
    bool advance() {
        if (empty() || busy_.exchange(true, std::memory_order_acquire)) {
            return false;
        }
        visited_.clear();
        {
            const std::lock_guard guard{mutex_};
            visited_ = members_;
        }
        bool moved = false;
        for (const auto &member : visited_) {
            const auto result = member->advance();
            moved = moved || result != advanced::nothing;
            if (result == advanced::to_the_end) {
                remove(member);
            }
        }
        visited_.clear();
        busy_.store(false, std::memory_order_release);
        return moved;
    }

  private:
    void remove(const std::shared_ptr<progressor> &work) {
        const std::lock_guard guard{mutex_};
        // The first one only: another thread may already have started and added the work again.
        members_.erase(std::find(members_.begin(), members_.end(), work));
        count_.store(members_.size(), std::memory_order_relaxed);
    }

    std::mutex mutex_; ///< protects members_; never held while a member is visited
    std::vector<std::shared_ptr<progressor>> members_;
    std::vector<std::shared_ptr<progressor>> visited_; ///< belongs to whoever has set busy_
    std::atomic<std::size_t> count_{0};                ///< members_.size(), a hint that needs no order
    std::atomic<bool> busy_{false};                    ///< acquire/release pass visited_ on
};

} // namespace lisle::protocol
