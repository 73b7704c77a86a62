// SPDX-License-Identifier: Apache-2.0
// One receiver's mailbox: a bounded ring of cells, one cache line each, and beside it a ring of bytes for
// payloads that do not fit into a cell. Any thread of any process may send: it claims a cell and its
// bytes with one compare-and-swap (a thread that sends alone: with a plain store, see claim_lease.hpp),
// writes them, and publishes by storing the cell's stamp. The receiver never writes the rings; it returns
// credit in batches, so a small packet costs the transfer of one line.
//
// Invariant: the cell of ticket t may be read once its stamp is t + 1, and is written again only after
// the receiver has returned the credit for t. Positions count up and wrap; they are never reset.
// The layout holds no addresses, so it serves threads and processes alike. See mpi/docs/design/mailbox.md.
//
// What every short message runs through is defined here, to be inlined into the engine; the rest, for
// payloads that lie in the ring of bytes, is in mailbox.cpp.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>

#include "base/caches.hpp"
#include "base/copy_short.hpp"
#include "base/thread_sanitizer.hpp"
#include "fabric/fabric.hpp"
#include "fabric/local/bell.hpp"
#include "fabric/local/claim_lease.hpp"
#include "fabric/local/mailbox_layout.hpp"

namespace lisle::fabric {

struct alignas(line_bytes) cell {
    static constexpr std::size_t inline_bytes = 32;

    packet_header header;
    std::byte inline_payload[inline_bytes];
    /// Ticket + 1 of the packet that lies here, and above it who has sent it (signed_by). The sender's
    /// release store publishes header and payload and pairs with the receiver's acquire load. (Where a longer
    /// payload lies follows from the order of the claims, so it is not said.)
    std::atomic<std::uint64_t> stamp;

    /// The number in the job of the rank that has sent the packet: its word, for what lies in shared memory.
    /// Relaxed: the caller has seen the stamp.
    [[nodiscard]] std::int32_t sender() const noexcept {
        return static_cast<std::int32_t>(stamp.load(std::memory_order_relaxed) >> 32);
    }
};
static_assert(sizeof(cell) == line_bytes);

/// The header of a packet whose flags only are known late: kind, flags and annotation are one word, since
/// compilers do not join stores of a constant and of a value.
struct short_header {
    std::uint64_t context;
    std::int32_t source;
    std::int32_t tag;
    std::uint32_t manner;
    std::uint32_t payload_bytes;

    [[nodiscard]] static constexpr std::uint32_t manner_of(std::uint8_t kind, std::uint8_t flags) noexcept {
        static_assert(std::endian::native == std::endian::little);
        return std::uint32_t{flags} << 8 | kind;
    }
    void store(packet_header &to) const noexcept {
        to.context = context;
        to.source = source;
        to.tag = tag;
        std::memcpy(reinterpret_cast<std::byte *>(&to) + offsetof(packet_header, kind), &manner,
                    sizeof manner);
        to.payload_bytes = payload_bytes;
    }
};

/// What a rank's packets carry above the ticket of their stamp.
[[nodiscard]] constexpr std::uint64_t signed_by(int rank) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(rank)} << 32;
}

/// The two counters of a mailbox in one word: cells (32 bits) and lines of data (30 bits), and a flag. Bit 1
/// belongs to claim_lease.
struct position {
    std::uint32_t cells;
    std::uint32_t lines; ///< modulo 2^30
    bool flag;

    static constexpr std::uint64_t flag_bit = 1;
    static constexpr std::uint32_t line_mask = 0x3fffffff;

    static constexpr position unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word) >> 2,
                (word & flag_bit) != 0};
    }
    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        return std::uint64_t{cells} << 32 | std::uint64_t{lines & line_mask} << 2 | (flag ? flag_bit : 0);
    }
};

/// The part of a mailbox in shared memory. Never constructed: zeroed memory is an empty mailbox.
struct mailbox_memory {
    /// What senders have claimed. Flag: the receiver sleeps; the sender that claims next (and thereby clears
    /// the flag) rings its doorbell after publishing. Claims and the decision to sleep are ordered by
    /// this one word, so no wake-up is lost and no fence is needed.
    alignas(line_bytes) std::atomic<std::uint64_t> claimed;
    claim_lease lease;
    /// What the receiver has consumed and returned. Flag: it is congested. Written by the receiver with
    /// release, read by senders with acquire: the cells are free only after they have been read.
    alignas(line_bytes) std::atomic<std::uint64_t> credit;

    [[nodiscard]] cell *cells() noexcept { return reinterpret_cast<cell *>(this + 1); }
};
static_assert(sizeof(mailbox_memory) == 2 * line_bytes, "the lease lies in the line of `claimed`");

/// What senders do with a mailbox.
class mailbox_sender {
  public:
    mailbox_sender(const mailbox_room &room, mailbox_layout layout, bell of_owner,
                   lease_terms terms = {}) noexcept
        : memory_{reinterpret_cast<mailbox_memory *>(room.head)}, data_{room.data}, layout_{layout},
          bell_{of_owner}, terms_{terms} {}

    /// `failed` once there is no room left and the owner's process has ended.
    /// @param signature of the sending rank: signed_by()
    [[nodiscard]] claim_result try_claim(std::uint64_t signature, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept;
    void publish(packet_slot &slot) noexcept { publish(slot.token); }

    /// What senders have claimed: a value that every packet changes. Relaxed: for who needs no more than to
    /// know of those that the calling thread has sent.
    [[nodiscard]] std::uint64_t claimed() const noexcept {
        return memory_->claimed.load(std::memory_order_relaxed);
    }

    /// Claims, fills and publishes a packet whose payload fits the cell.
    /// @param signature of the sending rank: signed_by() @param header a packet_header or a short_header
    /// @pre header.payload_bytes <= cell::inline_bytes
    template <class Header> [[nodiscard, gnu::always_inline]] claim_result
    try_post(std::uint64_t signature, const Header &header, const void *payload, bool solicited) noexcept {
        mailbox_memory &memory = *memory_;
        const std::uint32_t last = layout_.cells - 1;
        // Acquire: the receiver's reads of what it has returned came before our writes to it.
        const std::uint64_t credit = memory.credit.load(std::memory_order_acquire);
        if ((credit & position::flag_bit) != 0 && !solicited) [[unlikely]] {
            return claim_result::congested;
        }
        std::uint64_t seen = memory.claimed.load(std::memory_order_relaxed);
        do {
            const auto out =
                static_cast<std::uint32_t>(seen >> 32) - static_cast<std::uint32_t>(credit >> 32);
            if (out > last) [[unlikely]] {
                return claim_result::full;
            }
            // One more cell, no line, and the flag cleared.
        } while (!claim(seen, (seen + one_cell) & ~position::flag_bit));
        const auto ticket = static_cast<std::uint32_t>(seen >> 32);
        cell &mine = memory.cells()[ticket & last];
        if constexpr (std::is_same_v<Header, short_header>) {
            header.store(mine.header);
        } else {
            mine.header = header;
        }
        copy_short(mine.inline_payload, static_cast<const std::byte *>(payload), header.payload_bytes);
        note_release_by_peer(&memory.credit); // see publish()
        mine.stamp.store(signature | (ticket + 1), std::memory_order_release);
        claim_line(&memory.cells()[(ticket + cells_ahead) & last]);
        if ((seen & position::flag_bit) != 0) [[unlikely]] {
            bell_.ring();
        }
        consider_lease(seen);
        return claim_result::claimed;
    }

    /// Shows the packets that have been published from the ticket `first` on to `look(const cell &)`, the
    /// oldest first, until it returns true. False: it did not, or the receiver has returned credit for some
    /// of them, or there are more than `most`. What a cell says may change meanwhile, which makes the answer
    /// false.
    template <class Look>
    [[nodiscard]] bool finds_since(std::uint32_t first, std::uint32_t most, Look look) const noexcept {
        const std::uint32_t end = position::unpack(claimed()).cells;
        bool found = false;
        for (std::uint32_t ticket = first; !found && ticket != end && ticket - first < most; ++ticket) {
            const cell &packet = memory_->cells()[ticket & (layout_.cells - 1)];
            // Acquire: pairs with publish(). What is not published yet comes from another thread.
            found = static_cast<std::uint32_t>(packet.stamp.load(std::memory_order_acquire)) == ticket + 1 &&
                    look(packet);
        }
        // Acquire: who has written to one of these cells anew had seen the credit for it before.
        std::atomic_thread_fence(std::memory_order_acquire);
        const position credit = position::unpack(memory_->credit.load(std::memory_order_relaxed));
        return found && static_cast<std::int32_t>(credit.cells - first) <= 0;
    }

    /// An eighth of the data ring: small enough that the credit the receiver holds back (less than a
    /// quarter) and the gap at the ring's end can never keep a sender waiting for ever.
    [[nodiscard]] static constexpr std::size_t largest_payload(mailbox_layout layout) noexcept {
        return std::size_t{layout.data_lines} / 8 * line_bytes;
    }

  private:
    static constexpr std::uint64_t one_cell = std::uint64_t{1} << 32;
    // A cell's line is still the receiver's when it is written again, and the next claim, a locked
    // instruction, waits until it has come over. So a sender asks for the lines of the cells that follow.
    // Four of 1 to 64 were best: 8 bytes at 10 and 18 million a second without and with it, where the cores
    // lie far apart.
    static constexpr std::uint32_t cells_ahead = 4;
    // How often a sender without a lease asks whether it should have one: once in so many tickets.
    static constexpr std::uint64_t claims_between_looks = 64;

    /// Turns `claimed` from `seen` to `next`. False: another sender came first, and `seen` is what it left.
    [[nodiscard, gnu::always_inline]] bool claim(std::uint64_t &seen, std::uint64_t next) noexcept {
        if ((seen & claim_lease::bit) != 0) {
            if (memory_->lease.claim(memory_->claimed, next, terms_)) [[likely]] {
                return true;
            }
            seen = end_lease();
            return false;
        }
        // Acquire and release: ordered with the receiver's compare-and-swap in arm(), see `claimed`.
        return memory_->claimed.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                                      std::memory_order_relaxed);
    }
    /// Returns what `claimed` is then.
    [[nodiscard, gnu::noinline]] std::uint64_t end_lease() noexcept;
    [[nodiscard]] claim_result no_room() const noexcept {
        return bell_.owner_ended() ? claim_result::failed : claim_result::full;
    }
    /// @param seen what the caller has found before its claim
    [[gnu::always_inline]] void consider_lease(std::uint64_t seen) noexcept {
        if ((seen & ((claims_between_looks - 1) << 32 | claim_lease::bit)) == 0) [[unlikely]] {
            memory_->lease.consider(memory_->claimed, terms_);
        }
    }
    // A token is the ticket, above it the sender's number, and at the top whether the receiver has to be
    // woken.
    static constexpr std::uint64_t wake_bit = std::uint64_t{1} << 63;

    void publish(std::uint64_t token) noexcept {
        const auto ticket = static_cast<std::uint32_t>(token);
        // The next writer of this cell has seen the credit for it, which the receiver returned after it
        // read what is written here. If it does so in another process, only we can say it.
        note_release_by_peer(&memory_->credit);
        const std::uint64_t signature = token & ~wake_bit & ~std::uint64_t{0xffffffff};
        memory_->cells()[ticket & (layout_.cells - 1)].stamp.store(signature | (ticket + 1),
                                                                   std::memory_order_release);
        if ((token & wake_bit) != 0) [[unlikely]] {
            bell_.ring();
        }
    }

    mailbox_memory *memory_;
    std::byte *data_;
    mailbox_layout layout_;
    bell bell_;
    lease_terms terms_;
};

/// What the one receiver does with its mailbox. One thread at a time. On lines of its own: it changes with
/// each packet, and those of other ranks of the process lie beside it.
class alignas(line_bytes) mailbox_receiver {
  public:
    mailbox_receiver(const mailbox_room &room, mailbox_layout layout) noexcept
        : memory_{reinterpret_cast<mailbox_memory *>(room.head)}, layout_{layout}, data_{room.data},
          until_credit_{layout.cells / 4} {}

    /// The packet that is next, or null if none is there yet. What it says may be changed by a peer at any
    /// time: read each part once.
    [[nodiscard, gnu::always_inline]] const cell *next() const noexcept {
        const cell &place = memory_->cells()[consumed_.cells & (layout_.cells - 1)];
        return ticket_in(place) == consumed_.cells + 1 ? &place : nullptr;
    }
    /// The payload of that packet if it does not fit its cell. To be asked for once, and then consumed.
    [[nodiscard]] std::span<const std::byte> take_lines(std::uint32_t payload_bytes) noexcept;
    /// Done with the packet that was next.
    [[gnu::always_inline]] void consume() noexcept {
        ++consumed_.cells;
        if (--until_credit_ == 0) [[unlikely]] {
            return_credit();
        }
    }

    /// Hands at most `most` packets to `arrived(const packet_header &, std::span<const std::byte>, const cell
    /// &)`; the cell says who has sent it. One for which that throws stays the next.
    template <class Arrived> [[gnu::always_inline]] int drain(Arrived &&arrived, int most) {
        const cell *const cells = memory_->cells();
        const std::uint32_t mask = layout_.cells - 1;
        int delivered = 0;
        for (; delivered < most; ++delivered) {
            const std::uint32_t ticket = consumed_.cells;
            const cell &packet = cells[ticket & mask];
            if (ticket_in(packet) != ticket + 1) {
                break;
            }
            // One copy of what a peer could still change, checked before it is used.
            const packet_header header = packet.header;
            const std::byte *payload = packet.inline_payload;
            if (header.payload_bytes > cell::inline_bytes) [[unlikely]] {
                payload = take_lines(header.payload_bytes).data();
            }
            try {
                arrived(header, std::span<const std::byte>{payload, header.payload_bytes}, packet);
            } catch (...) { // the packet stays, and is handed out again
                if (header.payload_bytes > cell::inline_bytes) {
                    consumed_.lines = lines_before_;
                }
                throw;
            }
            consume();
        }
        return delivered;
    }

    /// Ticket of the packet that is next, or that is being handed out.
    [[nodiscard]] std::uint32_t next_ticket() const noexcept { return consumed_.cells; }
    /// True if a payload lies in this mailbox.
    [[nodiscard]] bool holds(const std::byte *payload) const noexcept {
        const auto *const head = reinterpret_cast<const std::byte *>(memory_);
        const auto lies_in = [payload](const std::byte *begin, std::size_t bytes) {
            return !std::less<>{}(payload, begin) && std::less<>{}(payload, begin + bytes);
        };
        return lies_in(head, layout_.head_bytes()) || lies_in(data_, layout_.data_bytes());
    }
    /// The packet that is being delivered stays where it is until release(): no credit is returned.
    void hold() noexcept { ++held_; }
    void release() noexcept;

    int poll(sink &into, int most);
    [[nodiscard]] bool arm() noexcept;
    void set_congested(bool congested) noexcept;

  private:
    /// Acquire: what the sender wrote before it published the packet is seen.
    [[nodiscard, gnu::always_inline]] static std::uint32_t ticket_in(const cell &place) noexcept {
        return static_cast<std::uint32_t>(place.stamp.load(std::memory_order_acquire));
    }
    void return_credit() noexcept;

    mailbox_memory *memory_;
    mailbox_layout layout_;
    std::byte *data_;
    position consumed_{};
    position returned_{};
    // Packets until the next credit. A quarter of either ring is returned at once: rarely enough that senders
    // keep the credit's line in their caches.
    std::uint32_t until_credit_;
    std::uint32_t lines_before_ = 0; ///< consumed_.lines before take_lines() was called last
    bool congested_ = false;
    bool credit_due_ = false; ///< to be returned once nothing is held
    unsigned held_ = 0;
};

} // namespace lisle::fabric
