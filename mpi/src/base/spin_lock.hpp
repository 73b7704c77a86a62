// SPDX-License-Identifier: Apache-2.0
// A lock for sections of some hundred instructions: one atomic exchange to take, a store to release. Meets
// BasicLockable. Yields when the holder seems to have lost its core.
#pragma once

#include <atomic>
#include <sched.h>

namespace lisle {

/// Tells the core that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// For conditions that another thread fulfils within some instructions, unless it has lost its core: polls,
/// and yields now and then.
template <class Predicate> void wait_while(Predicate holds) noexcept {
    for (unsigned tries = 1; holds(); ++tries) {
        relax();
        if (tries % 64 == 0) {
            sched_yield();
        }
    }
}

class spin_lock {
  public:
    [[nodiscard]] bool try_lock() noexcept {
        // The load keeps the line shared while another holds the lock. Acquire: pairs with unlock's
        // release, so the former holder's writes are seen.
        return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
    }
    void lock() noexcept {
        wait_while([this] { return !try_lock(); });
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> held_{false};
};

} // namespace lisle
