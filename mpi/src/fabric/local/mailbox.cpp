// SPDX-License-Identifier: Apache-2.0
#include "fabric/local/mailbox.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace lisle::fabric {

namespace {

constexpr std::uint32_t lines_of(std::size_t payload_bytes) noexcept {
    return payload_bytes <= cell::inline_bytes
               ? 0
               : static_cast<std::uint32_t>((payload_bytes + line_bytes - 1) / line_bytes);
}

// A payload lies in one piece: if it would run over the ring's end, it begins at the ring's start.
constexpr std::uint32_t begin_of(std::uint32_t next_line, std::uint32_t lines, std::uint32_t ring) noexcept {
    const std::uint32_t index = next_line & (ring - 1);
    return index + lines > ring ? next_line + (ring - index) : next_line;
}

// Going on would mean to read memory that the packet's sender never wrote.
[[noreturn, gnu::cold]] void die_of_corruption(std::uint32_t claimed, std::size_t limit) {
    std::fprintf(stderr,
                 "lisle: a packet in a mailbox claims %u bytes, where %zu are the most: a process of the "
                 "job has overwritten the shared memory\n",
                 claimed, limit);
    std::abort();
}

} // namespace

claim_result mailbox_sender::try_claim(std::uint64_t signature, std::size_t payload_bytes, bool solicited,
                                       packet_slot &slot) noexcept {
    const std::uint32_t lines = lines_of(payload_bytes);
    // Acquire: the receiver's reads of what it has returned came before our writes to it.
    const position credit = position::unpack(memory_->credit.load(std::memory_order_acquire));
    if (credit.flag && !solicited) {
        return claim_result::congested;
    }
    std::uint64_t seen = memory_->claimed.load(std::memory_order_relaxed);
    position now{};
    std::uint32_t begin = 0;
    do {
        now = position::unpack(seen);
        if (now.cells - credit.cells >= layout_.cells) {
            return no_room();
        }
        begin = begin_of(now.lines, lines, layout_.data_lines);
        if (((begin + lines - credit.lines) & position::line_mask) > layout_.data_lines) {
            return no_room();
        }
    } while (!claim(seen, position{now.cells + 1, begin + lines, false}.pack() | (seen & claim_lease::bit)));
    consider_lease(seen);
    cell &mine = memory_->cells()[now.cells & (layout_.cells - 1)];
    slot.header = &mine.header;
    slot.payload =
        lines == 0 ? mine.inline_payload : data_ + std::size_t{begin & (layout_.data_lines - 1)} * line_bytes;
    slot.token = now.cells | signature | (now.flag ? wake_bit : 0);
    return claim_result::claimed;
}

std::span<const std::byte> mailbox_receiver::take_lines(std::uint32_t payload_bytes) noexcept {
    if (payload_bytes > mailbox_sender::largest_payload(layout_)) [[unlikely]] {
        die_of_corruption(payload_bytes, mailbox_sender::largest_payload(layout_));
    }
    const std::uint32_t lines = lines_of(payload_bytes);
    const std::uint32_t begin = begin_of(consumed_.lines, lines, layout_.data_lines);
    lines_before_ = std::exchange(consumed_.lines, begin + lines);
    if (consumed_.lines - returned_.lines >= layout_.data_lines / 4) {
        until_credit_ = 1; // once this packet is consumed
    }
    return {data_ + std::size_t{begin & (layout_.data_lines - 1)} * line_bytes, payload_bytes};
}

int mailbox_receiver::poll(sink &into, int most) {
    return drain([&into](const packet_header &header, std::span<const std::byte> payload,
                         const cell &packet) { into.arrived(packet.sender(), header, payload); },
                 most);
}

std::uint64_t mailbox_sender::end_lease() noexcept {
    memory_->lease.recall(memory_->claimed, true);
    return memory_->claimed.load(std::memory_order_relaxed);
}

bool mailbox_receiver::arm() noexcept {
    // Only an unchanged word takes the flag: senders never ring for a receiver that stayed awake, and a
    // tenant, who does not look whether the word has changed, has been sent away before.
    std::uint64_t word = memory_->claimed.load(std::memory_order_relaxed);
    while (position::unpack(word).cells == consumed_.cells) {
        if ((word & claim_lease::bit) != 0) {
            memory_->lease.recall(memory_->claimed, false);
            word = memory_->claimed.load(std::memory_order_relaxed);
        } else if (memory_->claimed.compare_exchange_weak(word, word | position::flag_bit,
                                                          std::memory_order_acq_rel,
                                                          std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void mailbox_receiver::set_congested(bool congested) noexcept {
    if (congested != congested_) {
        congested_ = congested;
        return_credit();
    }
}

void mailbox_receiver::release() noexcept {
    if (--held_ == 0 && std::exchange(credit_due_, false)) {
        return_credit();
    }
}

void mailbox_receiver::return_credit() noexcept {
    if (held_ == 0) {
        returned_ = consumed_;
    } else {
        credit_due_ = true;
    }
    until_credit_ = layout_.cells / 4;
    // Release: all reads of the returned cells and data are done.
    memory_->credit.store(position{returned_.cells, returned_.lines, congested_}.pack(),
                          std::memory_order_release);
}

} // namespace lisle::fabric
