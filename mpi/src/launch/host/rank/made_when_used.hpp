// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

namespace lisle::host {

/// State of a rank that few programs use: it takes its room when it is first asked for. Thread-safe.
template <class T> class made_when_used {
  public:
    made_when_used() = default;
    made_when_used(const made_when_used &) = delete;
    made_when_used &operator=(const made_when_used &) = delete;
    ~made_when_used() { delete made_.load(std::memory_order_relaxed); } // nobody uses it any more

    [[nodiscard]] T &operator*() {
        // Acquire: pairs with the release below, so the object is seen whole.
        T *present = made_.load(std::memory_order_acquire);
        if (present == nullptr) {
            auto made = std::make_unique<T>();
            if (made_.compare_exchange_strong(present, made.get(), std::memory_order_acq_rel)) {
                present = made.release();
            }
        }
        return *present;
    }

  private:
    std::atomic<T *> made_{nullptr};
};

} // namespace lisle::host
