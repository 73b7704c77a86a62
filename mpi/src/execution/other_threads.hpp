// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace lisle {

/// The waits of MPI in which threads of the process have slept or answered a question, for whichever rank:
/// how many there are now, and above that how many have ended. Relaxed: that one has just begun or ended
/// changes no standstill that is certain. A rank that falls asleep publishes its earlier counts (wait_table).
inline std::atomic<std::uint64_t> waits_of_process{0};
[[nodiscard]] inline std::uint32_t waits_now() noexcept {
    return static_cast<std::uint32_t>(waits_of_process.load(std::memory_order_relaxed));
}
[[nodiscard]] inline std::uint32_t waits_ended() noexcept {
    return static_cast<std::uint32_t>(waits_of_process.load(std::memory_order_relaxed) >> 32);
}

/// How many of those that there are now are of threads that run no fibers. Relaxed, for the same reason.
inline std::atomic<std::uint32_t> waits_of_threads{0};

/// Counts a wait of the calling thread there, once it is told to.
class counted_wait {
  public:
    counted_wait() = default;
    counted_wait(const counted_wait &) = delete;
    counted_wait &operator=(const counted_wait &) = delete;
    ~counted_wait() {
        if (counted_) {
            constexpr std::uint64_t one_ended = std::uint64_t{1} << 32;
            waits_of_process.fetch_add(one_ended - 1, std::memory_order_relaxed);
            waits_of_threads.fetch_sub(of_thread_, std::memory_order_relaxed);
        }
    }
    /// @param fiber whether the caller is one
    void count(bool fiber) noexcept {
        if (!counted_) {
            counted_ = true;
            of_thread_ = fiber ? 0 : 1;
            waits_of_process.fetch_add(1, std::memory_order_relaxed);
            waits_of_threads.fetch_add(of_thread_, std::memory_order_relaxed);
        }
    }

  private:
    bool counted_ = false;
    std::uint32_t of_thread_ = 0;
};

/// True if some thread of the process, besides those that wait in MPI, may go on without being woken by
/// another thread of the process: it runs, or waits for a time, a device or another process. Reads /proc,
/// which takes tens of microseconds. True if /proc does not tell. Threads of the library's own do not count:
/// what they may bring about is known by the packets that are under way, or by what is waited for.
/// @param workers threads that run fibers, which are not counted either
/// @pre all ranks of the process sleep in MPI
[[nodiscard]] bool is_anybody_else_at_work(int workers);

/// True if the process handles a signal that timers, descriptors, children or other programs send: its
/// handler may do what a thread waits for. Reads /proc; true if that does not tell.
[[nodiscard]] bool may_a_handler_run();

} // namespace lisle
