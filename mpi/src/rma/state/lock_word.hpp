// SPDX-License-Identifier: Apache-2.0
// The lock of one rank's part of a window: a word in memory that the ranks of a node share. A lock that is
// free is taken with one compare-and-swap. A rank that has to wait registers in the word, so that the
// holder that gives the lock back knows that a rank is to be woken (window_lock.cpp); the word itself wakes
// nobody. Invariant: there are never readers together with an exclusive holder.
//
// Nobody starves: readers that come while a writer waits register and wait, and an exclusive holder that
// gives the lock back while readers wait lets those in before further writers are preferred (`turn`). The
// target's rank, which waits for ranks of other nodes in their stead, learns first of a lock that one of
// those has given back: it lets the node's own ranks in before the next of them (`near_turn`).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace lisle::rma {

class lock_word {
  public:
    enum class kind : std::uint8_t { shared, exclusive };
    /// Whose lock it is or is to be: a rank's of this node, or another one's, for which the target's rank
    /// acts.
    enum class origin : std::uint8_t { near, far };

    /// Takes the lock if it is free. @param registered the caller has registered as waiting for this kind,
    /// and no longer is if it gets the lock
    [[nodiscard]] bool try_lock(kind wanted, bool registered, origin whose = origin::near) noexcept {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);
        while (may_enter(seen, wanted, registered) &&
               (whose == origin::near || (seen & near_turn_bit) == 0)) {
            // Acquire: pairs with unlock(), so what the former holder did is seen.
            if (state_.compare_exchange_weak(seen, entered(seen, wanted, registered, whose),
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
    /// The caller gives up waiting. If it was its turn, that is over.
    void withdraw_waiter(kind wanted) noexcept {
        state_.fetch_sub(one_waiting(wanted), std::memory_order_seq_cst);
        state_.fetch_and(~near_turn_bit, std::memory_order_seq_cst);
    }

    /// Which of those that wait the one that gave the lock back has to wake.
    enum class wake : std::uint8_t { nobody, one_writer, readers };
    [[nodiscard]] wake unlock(kind held) noexcept {
        const std::uint64_t next = give_back(held, [](std::uint64_t) { return false; });
        return readers(next) != 0
                   ? wake::nobody
                   : next_of(next, waiting(next, kind::shared), waiting(next, kind::exclusive));
    }
    /// The same for a rank of another node. @param far the kind for which the target's rank has registered
    /// for such
    [[nodiscard]] wake unlock_far(kind held, std::optional<kind> far) noexcept {
        const auto near = [far](std::uint64_t state, kind of) {
            return waiting(state, of) - (far == of ? 1 : 0);
        };
        const std::uint64_t next = give_back(held, [&](std::uint64_t state) {
            // Readers that wait only because a writer does could not enter before it.
            return near(state, kind::exclusive) != 0 ||
                   (held == kind::exclusive && near(state, kind::shared) != 0);
        });
        return readers(next) != 0 ? wake::nobody
                                  : next_of(next, near(next, kind::shared), near(next, kind::exclusive));
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

    /// True if ranks of other nodes may not enter before one of this node has.
    [[nodiscard]] bool near_turn() const noexcept {
        return (state_.load(std::memory_order_relaxed) & near_turn_bit) != 0;
    }

  private:
    static constexpr unsigned field_bits = 20; // more than ranks of a job (routes::most_peers)
    static constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
    static constexpr std::uint64_t one_reader = 1;
    static constexpr std::uint64_t near_turn_bit = std::uint64_t{1}
                                                   << 61; ///< no rank of another node may enter
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
    static constexpr std::uint64_t entered(std::uint64_t state, kind wanted, bool registered,
                                           origin whose) noexcept {
        if (whose == origin::near) {
            state &= ~near_turn_bit;
        }
        if (registered) {
            state -= one_waiting(wanted);
        }
        if (wanted == kind::exclusive) {
            return (state | exclusive_bit) & ~turn_bit;
        }
        state += one_reader;
        return waiting(state, kind::shared) == 0 ? state & ~turn_bit : state;
    }

    /// @param is_near_turn of the state without the holder: whether ranks of the node come next
    template <class NearTurn> std::uint64_t give_back(kind held, NearTurn is_near_turn) noexcept {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);
        std::uint64_t next = 0;
        do {
            next = held == kind::shared ? seen - one_reader : seen & ~exclusive_bit;
            if (held == kind::exclusive && waiting(next, kind::shared) != 0) {
                next |= turn_bit;
            }
            if (readers(next) == 0 && is_near_turn(next)) {
                next |= near_turn_bit;
            }
            // Release: what the holder did is seen by the next. Sequentially consistent: see
            // register_waiter().
        } while (
            !state_.compare_exchange_weak(seen, next, std::memory_order_seq_cst, std::memory_order_relaxed));
        return next;
    }
    static constexpr wake next_of(std::uint64_t state, std::uint64_t waiting_readers,
                                  std::uint64_t waiting_writers) noexcept {
        if (waiting_readers == 0 && waiting_writers == 0) {
            return wake::nobody;
        }
        const bool readers_first = waiting_writers == 0 || (waiting_readers != 0 && (state & turn_bit) != 0);
        return readers_first ? wake::readers : wake::one_writer;
    }

    std::atomic<std::uint64_t> state_{0};
};

} // namespace lisle::rma
