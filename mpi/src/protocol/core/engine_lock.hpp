// SPDX-License-Identifier: Apache-2.0
// The lock of one engine: a spin lock that tells its holder when others wait, so that a rank may keep it
// while it looks for its message and still lets others in; and that costs a load and a store, no atomic
// exchange, while only one thread ever takes it.
#pragma once

#include <atomic>

#include "base/spin_lock.hpp"

namespace lisle::protocol {

/// Meets BasicLockable.
class engine_lock {
  public:
    /// Whether one thread alone takes the lock from now on. @pre if that changes, nobody holds it or waits
    /// for it
    void serve_one_thread(bool one) noexcept {
        if (one_thread_ != one) {
            one_thread_ = one;
        }
    }

    [[nodiscard]] bool serves_one_thread() const noexcept { return one_thread_; }

    [[nodiscard]] bool try_lock() noexcept {
        if (held_.load(std::memory_order_relaxed)) {
            return false;
        }
        if (one_thread_) {
            held_.store(true, std::memory_order_relaxed);
            return true;
        }
        // Acquire: pairs with unlock's release, so the former holder's writes are seen.
        return !held_.exchange(true, std::memory_order_acquire);
    }
    void lock() noexcept {
        if (!try_lock()) [[unlikely]] {
            lock_in_turn();
        }
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

    /// For the holder: somebody waits in lock(). Relaxed: a hint to let go soon.
    [[nodiscard]] bool wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }

  private:
    [[gnu::cold, gnu::noinline]] void lock_in_turn() noexcept {
        waiting_.fetch_add(1, std::memory_order_relaxed);
        wait_while([this] { return !try_lock(); });
        waiting_.fetch_sub(1, std::memory_order_relaxed);
    }

    std::atomic<bool> held_{false};
    bool one_thread_ = false;
    std::atomic<unsigned> waiting_{0};
};

} // namespace lisle::protocol
