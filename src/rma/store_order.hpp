// SPDX-License-Identifier: Apache-2.0
// The order between what a rank has put into other ranks' memory and what it reads after a flush. A processor
// may read before its earlier stores have reached memory, unless a fence stands between them; the fence takes
// longer than all else that a flush does. Reads need none, nor do the processor's atomic instructions, so a
// flush has one only after other stores.
#pragma once

#include <atomic>

namespace lisle::rma {

/// One rank's stores to the memory of one window.
class store_order {
  public:
    /// @param one_thread threads of the rank do not call at once
    explicit store_order(bool one_thread) noexcept : one_thread_{one_thread} {}

    /// The calling thread has stored, or is about to.
    void note() noexcept { unsettled_.store(true, std::memory_order_relaxed); }

    /// All that the calling thread has stored or read there comes before whatever it does next.
    void settle() noexcept {
        if (!unsettled_.load(std::memory_order_relaxed)) {
            std::atomic_thread_fence(std::memory_order_acq_rel);
            return;
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (one_thread_) { // else another one may have noted a store since
            unsettled_.store(false, std::memory_order_relaxed);
        }
    }

  private:
    // Relaxed: each thread asks for the order of what it has noted itself.
    std::atomic<bool> unsettled_{true};
    const bool one_thread_;
};

} // namespace lisle::rma
