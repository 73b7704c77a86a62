// SPDX-License-Identifier: Apache-2.0
// Receives that have been started and are not entered into the tables of their engine yet. One
// thread starts them, without the engine's lock; the holder of the lock takes them, in the same order.
// See mpi/docs/design/engine-lock.md, "Receives that are started without the lock".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace lisle::protocol {

class receive_operation;

class started_receives {
  public:
    /// For the one thread that starts receives. False: there is no room, the caller must take the lock.
    [[nodiscard]] bool add(receive_operation &receive) noexcept {
        const std::uint32_t end = end_.load(std::memory_order_relaxed);
        // Acquire: pairs with take_all(), which has read the slot before it is written again.
        if (end - begin_.load(std::memory_order_acquire) == most) [[unlikely]] {
            return false;
        }
        slots_[end % most] = &receive;
        // Release: pairs with take_all(), which then sees the receive whole.
        end_.store(end + 1, std::memory_order_release);
        return true;
    }
    /// What the calling thread has started counts at once; what others start meanwhile, as of late.
    [[nodiscard, gnu::always_inline]] bool any() const noexcept {
        return begin_.load(std::memory_order_relaxed) != end_.load(std::memory_order_relaxed);
    }
    /// Gives each to `enter`, the oldest first. One for which that throws stays, with those behind it.
    /// @pre the engine's lock is held
    template <class Enter> void take_all(Enter enter) {
        std::uint32_t next = begin_.load(std::memory_order_relaxed);
        try {
            for (const std::uint32_t end = end_.load(std::memory_order_acquire); next != end; ++next) {
                enter(*slots_[next % most]);
            }
        } catch (...) {
            begin_.store(next, std::memory_order_release);
            throw;
        }
        begin_.store(next, std::memory_order_release);
    }

  private:
    static constexpr std::uint32_t most = 64;
    std::atomic<std::uint32_t> begin_{0}; ///< written under the lock
    std::atomic<std::uint32_t> end_{0};   ///< written by the thread that starts
    std::array<receive_operation *, most> slots_{};
};

} // namespace lisle::protocol
