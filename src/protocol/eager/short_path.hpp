// SPDX-License-Identifier: Apache-2.0
// The way of a message that fits a packet's own cell, from the sender's call to the receiver's buffer, for
// the engine's callers of whose time it is most: inlined into them.
#pragma once

#include "execution/rank.hpp"
#include "protocol/engine.hpp"

namespace lisle::protocol {

inline bool engine::try_send_short(const typed_buffer &buffer, const envelope &what, int dest,
                                   std::size_t bytes) noexcept {
    const std::uint32_t mark = buffer.type->plain_mark();
    if (bytes >= outbox_.short_end() || mark == 0) {
        return false;
    }
    fabric::mailbox_sender *const mailbox = mailboxes_[dest];
    if (one_worker_ &&
        hand_over_to_fiber(static_cast<const std::byte *>(buffer.address), bytes, what, dest)) {
        return true;
    }
    if (mailbox == nullptr) {
        return false;
    }
    static_assert(packet_kind::eager == packet_kind{} &&
                  fabric::short_header::manner_of(0, 1) == 1U << datatype::mark_shift);
    const fabric::short_header header{what.context, what.source, what.tag, mark,
                                      static_cast<std::uint32_t>(bytes)};
    return mailbox->try_post(signature_, header, buffer.address, false) == fabric::claim_result::claimed;
}

inline bool engine::hand_over_to_fiber(const std::byte *data, std::size_t bytes, const envelope &what,
                                       int dest) noexcept {
    rank *const receiver = job_.find(dest);
    if (receiver == nullptr) {
        return false;
    }
    engine &theirs = receiver->engine();
    short_receive *const awaited = theirs.awaited_;
    if (awaited == nullptr || awaited->claimed != mailboxes_[dest]->claimed() ||
        !store_if_wanted(awaited->to, awaited->room, awaited->pattern, awaited->status, what, data,
                         static_cast<std::uint32_t>(bytes))) {
        return false;
    }
    awaited->taken = true;
    theirs.awaited_ = nullptr;
    return true;
}

inline bool engine::try_receive_short(const typed_buffer &buffer, const envelope &pattern, const group &peers,
                                      MPI_Status *status) {
    if ((only_inbox_ == nullptr && !comes_by_mailbox(pattern.source, peers)) || !buffer.type->plain() ||
        progressors_.any() || !lock_.try_lock()) [[unlikely]] {
        return false;
    }
    auto *const to = static_cast<std::byte *>(buffer.address);
    const attempt result = take_if_idle_locked<false>(to, buffer.bytes(), pattern, status, basic_type::none);
    lock_.unlock();
    if (result == attempt::taken) [[likely]] {
        return true;
    }
    return result == attempt::too_early && receive_short_as_fiber(to, buffer.bytes(), pattern, status);
}

template <bool Typed> inline attempt engine::take_if_idle_locked(std::byte *to, MPI_Count room,
                                                                 const envelope &pattern, MPI_Status *status,
                                                                 basic_type elements) {
    return matcher_.idle() && outbox_.waiting() == 0 && !started_.any()
               ? take_short_locked<Typed>(to, room, pattern, status, elements)
               : attempt::impossible;
}

template <bool Typed> inline attempt engine::take_short_locked(std::byte *to, MPI_Count room,
                                                               const envelope &pattern, MPI_Status *status,
                                                               [[maybe_unused]] basic_type elements) {
    const fabric::cell *packet = inbox_->next();
    if (packet == nullptr) {
        if (fiber_worker *const worker = fiber_worker::current();
            worker != nullptr && worker->others_ready()) {
            return attempt::too_early;
        }
        const unsigned most = brief_looks();
        for (unsigned looks = 0; packet == nullptr; packet = inbox_->next()) {
            if (++looks > most || lock_.wanted()) {
                return attempt::impossible;
            }
        }
    }
    const fabric::packet_header header = packet->header;
    if (Typed && !surely_fit(static_cast<basic_type>(header.flags), elements)) {
        return attempt::impossible;
    }
    if (header.payload_bytes > fabric::cell::inline_bytes) {
        return take_longer_locked(to, room, pattern, status, *packet);
    }
    if (header.kind != static_cast<std::uint8_t>(packet_kind::eager) ||
        !store_if_wanted(to, room, pattern, status, {header.context, header.source, header.tag},
                         packet->inline_payload, header.payload_bytes)) {
        return attempt::impossible;
    }
    inbox_->consume();
    return attempt::taken;
}

} // namespace lisle::protocol
