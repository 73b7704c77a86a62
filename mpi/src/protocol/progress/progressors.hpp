// SPDX-License-Identifier: Apache-2.0
// The work that goes on whenever a rank is in the library.
#pragma once

#include <atomic>

#include "base/spin_lock.hpp"
#include "protocol/progress/progressor.hpp"

namespace lisle::protocol {

class progressors {
  public:
    /// Relaxed: only saves the lock when there is nothing to advance.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
    /// From any thread.
    void add(progressor &work);

    /// All the work, taken off, so that no lock is held while it runs and more can be added meanwhile; null
    /// if another thread is at it.
    [[nodiscard]] progressor *take();
    /// Advances each once, and takes what is finished out of the list. True if anything was. One that lacks
    /// memory stays; one that throws anything else is taken out.
    [[nodiscard]] static bool advance(progressor *&list);
    /// Puts back what take() gave and is not finished, before what was added since.
    void put_back(progressor &list);

  private:
    spin_lock lock_;
    progressor *first_ = nullptr;
    std::atomic<bool> any_{false};
};

} // namespace lisle::protocol
