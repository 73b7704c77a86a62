// SPDX-License-Identifier: Apache-2.0
// Posted receives that senders of other processes may fill while their owner computes: slots in memory that
// they share. A receive belongs to the side that changes its slot's state first: its owner, which takes it
// back for a message that it has found itself, or a sender, which claims it for one of its own. See
// mpi/docs/design/published-receives.md.
//
//           publish                claim (sender)
//   free -----------> published ------------------> claimed
//     ^                  |  ^ renew (owner)            |
//     +-- withdraw ------+                             |
//     +-- free (owner, when the sender has reported) --+
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fabric/local/mailbox_layout.hpp"

namespace lisle::fabric {

/// What is said of a published receive.
struct published_receive {
    std::uint64_t context;
    std::int32_t source; ///< as the receiver sees its sender
    std::int32_t tag;
    std::uint64_t address; ///< of its buffer, in one piece, in the receiver's process
    std::uint64_t bytes;
    /// Ticket of the receiver's mailbox: all packets before it have been matched.
    std::uint32_t since;
};

/// How one endpoint and its senders use its slots. Zeroed memory holds none.
class published_receives {
  public:
    /// A receive as a sender has found it.
    struct found {
        published_receive what;
        unsigned slot;
        std::uint64_t state; ///< of its slot
        std::uint64_t order; ///< receives are published in this order
    };
    static constexpr unsigned most_slots = 16;

    /// @param memory bytes_for(slots) long; null: there are no slots
    published_receives(std::byte *memory, unsigned slots) noexcept
        : head_{reinterpret_cast<head *>(memory)}, slots_{memory != nullptr ? slots : 0} {}
    [[nodiscard]] static constexpr std::size_t bytes_for(unsigned slots) noexcept {
        return (1 + std::size_t{slots}) * line_bytes;
    }

    // ---- the owner, one thread at a time ----

    [[nodiscard]] unsigned slots() const noexcept { return slots_; }
    /// @pre the slot is free
    void publish(unsigned slot, const published_receive &what) noexcept {
        entry &place = at(slot);
        const std::uint64_t version = next_version();
        // Release: a sender that reads any of this sees that the state before is gone.
        std::atomic_thread_fence(std::memory_order_release);
        place.order.store(version, std::memory_order_relaxed);
        place.context.store(what.context, std::memory_order_relaxed);
        place.envelope.store(envelope_of(what), std::memory_order_relaxed);
        place.address.store(what.address, std::memory_order_relaxed);
        place.bytes.store(what.bytes, std::memory_order_relaxed);
        place.since.store(what.since, std::memory_order_relaxed);
        // Release: pairs with the acquire load in look(), which then sees the receive, and those before it.
        place.state.store(version << 2 | published, std::memory_order_release);
    }
    /// False: a sender has claimed it.
    [[nodiscard]] bool withdraw(unsigned slot) noexcept { return change(slot, 0); }
    /// Says that more packets have been matched since: a sender that has looked before cannot claim it.
    void renew(unsigned slot, std::uint32_t since) noexcept {
        at(slot).since.store(since, std::memory_order_relaxed); // a sender that sees it too early finds less
        (void)change(slot, next_version() << 2 | published);
    }
    /// True if it is claimed for the message with this number.
    [[nodiscard]] bool is_claimed_for(unsigned slot, std::uint64_t message) const noexcept {
        return at(slot).state.load(std::memory_order_relaxed) == claim_of(message);
    }
    /// @pre it is claimed, and the sender does no more with it
    void free(unsigned slot) noexcept { at(slot).state.store(0, std::memory_order_relaxed); }
    /// Whether a thread of the owner sleeps, and wakes when a message comes. Relaxed: a hint.
    void attend(bool attended) noexcept { head_->attended.store(attended, std::memory_order_relaxed); }

    // ---- senders ----

    [[nodiscard]] bool attended() const noexcept {
        return slots_ != 0 && head_->attended.load(std::memory_order_relaxed);
    }
    /// The receive that was published first of those for this envelope (of `wanted` no more is read).
    [[nodiscard]] std::optional<found> oldest(const published_receive &wanted) const noexcept {
        // A look is no moment: while it passed one slot, an older receive may have been published in that and
        // a younger one in the next. A second look sees all that are older than one that the first has seen.
        std::optional<found> first = look(wanted);
        while (first) {
            const std::optional<found> again = look(wanted);
            if (!again || again->order <= first->order) {
                return again;
            }
            first = again;
        }
        return first;
    }
    /// False: it is not as it was found.
    [[nodiscard]] bool is_still(const found &receive) const noexcept {
        return at(receive.slot).state.load(std::memory_order_relaxed) == receive.state;
    }
    /// Claims it for the sender's message with this number. False: it is not as it was found.
    [[nodiscard]] bool claim(const found &receive, std::uint64_t message) noexcept {
        std::uint64_t expected = receive.state;
        // Acquire and release: what the owner has said was read before, and the buffer is written afterwards.
        return at(receive.slot)
            .state.compare_exchange_strong(expected, claim_of(message), std::memory_order_acq_rel,
                                           std::memory_order_relaxed);
    }

  private:
    struct alignas(line_bytes) head {
        std::atomic<std::uint64_t> versions; ///< relaxed: that the owner has given; others ask whether any
        std::atomic<bool> attended;
    };
    struct alignas(line_bytes) entry {
        /// 0: free; else a version above `published`, or a sender's number of its message above `claimed`.
        std::atomic<std::uint64_t> state;
        // Relaxed, since they are read while they may change: a claim fails if they have.
        std::atomic<std::uint64_t> order, context, envelope, address, bytes;
        std::atomic<std::uint32_t> since;
    };
    static_assert(sizeof(head) == line_bytes && sizeof(entry) == line_bytes);
    static constexpr std::uint64_t published = 1, claimed = 2, kind_mask = 3;

    [[nodiscard]] static constexpr std::uint64_t claim_of(std::uint64_t message) noexcept {
        return message << 2 | claimed;
    }
    [[nodiscard]] static constexpr std::uint64_t envelope_of(const published_receive &what) noexcept {
        return std::uint64_t{static_cast<std::uint32_t>(what.source)} << 32 |
               static_cast<std::uint32_t>(what.tag);
    }
    [[nodiscard]] entry &at(unsigned slot) const noexcept {
        return reinterpret_cast<entry *>(head_ + 1)[slot];
    }
    [[nodiscard]] std::uint64_t next_version() noexcept {
        const std::uint64_t next = head_->versions.load(std::memory_order_relaxed) + 1;
        head_->versions.store(next, std::memory_order_relaxed);
        return next;
    }
    /// By the owner, from `published` to another state. Acquire and release: orders it with claims.
    bool change(unsigned slot, std::uint64_t next) noexcept {
        std::uint64_t seen = at(slot).state.load(std::memory_order_relaxed);
        return (seen & kind_mask) == published &&
               at(slot).state.compare_exchange_strong(seen, next, std::memory_order_acq_rel,
                                                      std::memory_order_relaxed);
    }
    [[nodiscard]] std::optional<found> look(const published_receive &wanted) const noexcept {
        std::optional<found> best;
        if (slots_ == 0 || head_->versions.load(std::memory_order_relaxed) == 0) {
            return best; // as mostly: one line is read, and stays in the sender's cache
        }
        for (unsigned slot = 0; slot < slots_; ++slot) {
            const entry &place = at(slot);
            const std::uint64_t state = place.state.load(std::memory_order_acquire); // see publish()
            if ((state & kind_mask) != published ||
                place.context.load(std::memory_order_relaxed) != wanted.context ||
                place.envelope.load(std::memory_order_relaxed) != envelope_of(wanted)) {
                continue;
            }
            found seen{wanted, slot, state, place.order.load(std::memory_order_relaxed)};
            seen.what.address = place.address.load(std::memory_order_relaxed);
            seen.what.bytes = place.bytes.load(std::memory_order_relaxed);
            seen.what.since = place.since.load(std::memory_order_relaxed);
            // Acquire: what has been read is of this state if that is still there (see publish()).
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!is_still(seen)) {
                return std::nullopt; // its owner is at work
            }
            if (!best || seen.order < best->order) {
                best = seen;
            }
        }
        return best;
    }

    head *head_;
    unsigned slots_;
};

} // namespace lisle::fabric
