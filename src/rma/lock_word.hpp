// SPDX-License-Identifier: Apache-2.0
// The lock of one rank's part of a window: a word in memory that the ranks of a node share. A lock that is
// free is taken with one compare-and-swap. A rank that has to wait registers in the word, so that the
// holder who gives the lock back knows that somebody is to be woken (window_lock.cpp); the word itself wakes
// nobody. Invariant: readers and an exclusive holder are never there at once.
//
// Nobody starves: readers that come while a writer waits register and wait, and an exclusive holder that
// gives the lock back while readers wait lets those in before further writers are preferred (`turn`).
#pragma once

#include <atomic>
#include <cstdint>

namespace lisle::rma {

class lock_word {
  public:
    enum class kind : std::uint8_t { shared, exclusive };

    /// Takes the lock if it is free. @param registered the caller has registered as waiting for this kind,
    /// and no longer is if it gets the lock
    [[nodiscard]] bool try_lock(kind wanted, bool registered) noexcept {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);
        while (may_enter(seen, wanted, registered)) {
            // Acquire: pairs with unlock(), so what the former holder did is seen.
            if (state_.compare_exchange_weak(seen, entered(seen, wanted, registered),
                                             std::memory_order_acquire, std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    /// The caller is about to wait. Sequentially consistent, as unlock(): either the holder sees this, or the
    /// attempt that follows sees the lock given back.
    void register_waiter(kind wanted) noexcept {
        state_.fetch_add(one_waiting(wanted), std::memory_order_seq_cst);
    }
    /// The caller gives up waiting.
    void withdraw_waiter(kind wanted) noexcept {
        state_.fetch_sub(one_waiting(wanted), std::memory_order_seq_cst);
    }

    /// Which of those that wait the one that gave the lock back has to wake.
    enum class wake : std::uint8_t { nobody, one_writer, readers };
    [[nodiscard]] wake unlock(kind held) noexcept {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);
        std::uint64_t next = 0;
        do {
            next = held == kind::shared ? seen - one_reader : seen & ~exclusive_bit;
            if (held == kind::exclusive && waiting(next, kind::shared) != 0) {
                next |= turn_bit;
            }
            // Release: what the holder did is seen by the next. Sequentially consistent: see
            // register_waiter().
        } while (
            !state_.compare_exchange_weak(seen, next, std::memory_order_seq_cst, std::memory_order_relaxed));
        if (readers(next) != 0 || (waiting(next, kind::shared) == 0 && waiting(next, kind::exclusive) == 0)) {
            return wake::nobody;
        }
        const bool readers_first = waiting(next, kind::exclusive) == 0 || (next & turn_bit) != 0;
        return readers_first ? wake::readers : wake::one_writer;
    }

    /// True if nobody holds it.
    [[nodiscard]] bool free() const noexcept {
        const std::uint64_t seen = state_.load(std::memory_order_acquire);
        return readers(seen) == 0 && (seen & exclusive_bit) == 0;
    }

    /// True if a writer holds it.
    [[nodiscard]] bool held_exclusively() const noexcept {
        return (state_.load(std::memory_order_acquire) & exclusive_bit) != 0;
    }

  private:
    static constexpr unsigned field_bits = 20; // more than ranks of a job (routes::most_peers)
    static constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
    static constexpr std::uint64_t one_reader = 1;
    static constexpr std::uint64_t turn_bit = std::uint64_t{1} << 62;
    static constexpr std::uint64_t exclusive_bit = std::uint64_t{1} << 63;

    static constexpr unsigned shift_of(kind of) noexcept {
        return of == kind::exclusive ? field_bits : 2 * field_bits;
    }
    static constexpr std::uint64_t one_waiting(kind of) noexcept { return std::uint64_t{1} << shift_of(of); }
    static constexpr std::uint64_t waiting(std::uint64_t state, kind of) noexcept {
        return state >> shift_of(of) & field;
    }
    static constexpr std::uint64_t readers(std::uint64_t state) noexcept { return state & field; }

    static constexpr bool may_enter(std::uint64_t state, kind wanted, bool registered) noexcept {
        if ((state & exclusive_bit) != 0) {
            return false;
        }
        if (wanted == kind::exclusive) {
            return readers(state) == 0;
        }
        return waiting(state, kind::exclusive) == 0 || (registered && (state & turn_bit) != 0);
    }
    static constexpr std::uint64_t entered(std::uint64_t state, kind wanted, bool registered) noexcept {
        if (registered) {
            state -= one_waiting(wanted);
        }
        if (wanted == kind::exclusive) {
            return (state | exclusive_bit) & ~turn_bit;
        }
        state += one_reader;
        return waiting(state, kind::shared) == 0 ? state & ~turn_bit : state;
    }

    std::atomic<std::uint64_t> state_{0};
};

} // namespace lisle::rma
