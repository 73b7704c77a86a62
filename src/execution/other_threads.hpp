// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace lisle {

/// How many threads of the process are in a wait of MPI, for whichever rank, and have slept there. Relaxed: a
/// thread that is just entering or leaving a wait ends no standstill that is certain.
inline std::atomic<int> threads_in_wait{0};

/// Counts the calling thread there, once it is told to.
class thread_in_wait {
  public:
    thread_in_wait() = default;
    thread_in_wait(const thread_in_wait &) = delete;
    thread_in_wait &operator=(const thread_in_wait &) = delete;
    ~thread_in_wait() {
        if (counted_) {
            threads_in_wait.fetch_sub(1, std::memory_order_relaxed);
        }
    }
    void count() noexcept {
        if (!counted_) {
            counted_ = true;
            threads_in_wait.fetch_add(1, std::memory_order_relaxed);
        }
    }

  private:
    bool counted_ = false;
};

/// Whether a thread of the process may do something without being woken by another one of the process,
/// besides those that wait in MPI: it runs, or waits for a time, a device or another process. Asks the
/// system: tens of microseconds. True where it does not tell. @param workers threads that run fibers, which
/// are not counted
/// @pre all ranks of the process sleep in MPI
[[nodiscard]] bool is_anybody_else_at_work(int workers);

} // namespace lisle
