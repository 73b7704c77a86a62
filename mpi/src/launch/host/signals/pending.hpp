// SPDX-License-Identifier: Apache-2.0
// Signals that have been sent to a rank or to one of its threads and not been taken yet. As in the kernel, of
// a standard signal there is one at most, and those of real time stand in a queue.
#pragma once

#include "launch/host/signals/signal_bits.hpp"

#include <array>
#include <atomic>

namespace lisle::host {

/// The places for all signals that a rank has not taken: a fixed number, since signal handlers take them.
/// Memory of zeros is a valid one.
class signal_places {
  public:
    struct place {
        siginfo_t what;
        place *next;
    };
    static constexpr std::size_t most = 1024;

    /// Null if there is none left.
    place *take() noexcept {
        if (free_ != nullptr) {
            place *const first = free_;
            free_ = first->next;
            return first;
        }
        return used_ != most ? &all_[used_++] : nullptr;
    }
    void give_back(place &one) noexcept {
        one.next = free_;
        free_ = &one;
    }

  private:
    place *free_;      ///< have been used
    std::size_t used_; ///< of `all_`; those behind have never been touched, so they take no memory
    place all_[most];
};

class pending_signals {
  public:
    /// Any thread may ask. Relaxed: who acts on it takes the lock first.
    [[nodiscard]] signal_bits set() const noexcept { return set_.load(std::memory_order_relaxed); }

    /// False if it cannot be kept. A standard signal that is there already stays the only one.
    bool add(const siginfo_t &what, signal_places &places) noexcept;
    /// Takes the first one of this number. False: there is none.
    bool take(int signal, siginfo_t &into, signal_places &places) noexcept;
    /// Forgets those of this number.
    void drop(int signal, signal_places &places) noexcept;

  private:
    void set_to(signal_bits set) noexcept { set_.store(set, std::memory_order_relaxed); }

    std::atomic<signal_bits> set_{0};
    signal_places::place *first_ = nullptr;
    signal_places::place *last_ = nullptr;
};

} // namespace lisle::host
