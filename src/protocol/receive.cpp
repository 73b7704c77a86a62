// SPDX-License-Identifier: Apache-2.0
// How receives begin: with a message that is already here, or posted for one that will come.
#include <mutex>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "protocol/eager/short_message.hpp"

namespace lisle::protocol {

void engine::start_in_turn(receive_operation &receive) {
    std::unique_lock held{lock_};
    enter_started_locked();
    if (matcher_.stores_nothing() && others_.empty()) [[likely]] {
        matcher_.post(receive);
        return;
    }
    held.release();
    start_locked(receive);
}

void engine::enter_all_started_locked() {
    started_.take_all([this](receive_operation &receive) {
        // Those that are stored now came since start() asked.
        unexpected_message *const message =
            matcher_.stores_nothing() ? nullptr : matcher_.find(receive.pattern);
        if (message == nullptr) [[likely]] {
            matcher_.post(receive);
            return;
        }
        take_locked(*message, receive);
        receive.captured = message;
        receive.what = pending_transfer::kind::stored;
        receive.next = std::exchange(transfers_, &receive);
    });
}

void engine::start_locked(receive_operation &receive) {
    std::unique_lock held{lock_, std::adopt_lock};
    unexpected_message *const message = matcher_.find(receive.pattern);
    if (message == nullptr) {
        if (const int error = failures_.error_locked(receive.pattern.context, receive.from);
            error != MPI_SUCCESS) [[unlikely]] {
            held.release();
            fail_at_once_locked(receive, error);
            return;
        }
        matcher_.post(receive);
        expect_locked(receive, receive.from);
        return;
    }
    expect_locked(receive, receive.from);
    take_locked(*message, receive);
    held.unlock();
    accept(*message, receive);
}

attempt engine::take_longer_locked(std::byte *to, MPI_Count room, envelope pattern, MPI_Status *status,
                                   const fabric::cell &packet) {
    const fabric::packet_header header = packet.header; // once more: a peer could have changed it
    const envelope what{header.context, header.source, header.tag};
    const std::uint32_t bytes = header.payload_bytes;
    if (header.kind != static_cast<std::uint8_t>(packet_kind::eager) || bytes <= fabric::cell::inline_bytes ||
        static_cast<MPI_Count>(bytes) > room || !pattern.accepts(what)) {
        return attempt::impossible;
    }
    copy_bytes(to, inbox_->take_lines(bytes).data(), bytes);
    inbox_->consume();
    if (status != MPI_STATUS_IGNORE) {
        outcome{.source = what.source, .tag = what.tag, .bytes = bytes}.store(status);
    }
    return attempt::taken;
}

bool engine::comes_by_mailbox(int source, const group &peers) const noexcept {
    const int from = peer_named(peers, source);
    return from >= 0 && inbox_ != nullptr && routes_.to(from).carrier == inbox_carrier_ && !checks_types_;
}

bool engine::try_receive_short_typed(const typed_buffer &buffer, const envelope &pattern,
                                     MPI_Status *status) {
    if (!checks_types_ || outbox_.short_end() == 0 || wildcards_ != nullptr || inbox_ == nullptr ||
        !others_.empty() || !buffer.type->plain() || progressors_.any() || !lock_.try_lock()) {
        return false;
    }
    short_receive wanted{static_cast<std::byte *>(buffer.address), buffer.bytes(), pattern, status};
    wanted.elements = buffer.type->basic();
    const attempt result =
        take_if_idle_locked<true>(wanted.to, wanted.room, pattern, status, wanted.elements);
    lock_.unlock();
    return result == attempt::taken || (result == attempt::too_early && spin_policy_.among_fibers != 0 &&
                                        (let_others_run(wanted) || look_again_as_fiber(wanted)));
}

bool engine::start_and_look(receive_operation &receive) {
    std::unique_lock held{lock_};
    enter_started_locked();
    if (matcher_.stores_nothing() && !progressors_.any() && !failures_.any()) [[likely]] {
        matcher_.post(receive);
        expect_locked(receive, receive.from);
        held.release();
        return look_locked(receive);
    }
    held.release();
    start_locked(receive);
    return receive.complete.load(std::memory_order_acquire);
}

void engine::accept(unexpected_message &message, receive_operation &receive) {
    if (receive.captures) [[unlikely]] {
        receive.captured = &message;
        complete(receive);
        return;
    }
    receive.result.source = message.what.source;
    receive.result.tag = message.what.tag;
    receive.sender = message.sender;
    const bool has_data = !message.announced() || message.stored != 0 || message.bytes == 0;
    if (has_data) {
        store_data(receive, message.data());
        if (message.elements != 0) [[unlikely]] {
            notes_->compare_kept(receive, message.elements, &message);
        }
        if (message.announced()) {
            finish_sender(message.sender);
        }
        complete(receive);
    }
    if (!has_data && message.elements != 0) [[unlikely]] {
        notes_->move(&message, receive);
    }
    unexpected_message::destroy(&message);
    if (!has_data) {
        transfer(receive);
    }
}

void engine::cancel(receive_operation &receive) {
    std::unique_lock held{lock_};
    enter_started_locked();
    if (receive.posted) {
        matcher_.withdraw(receive);
        receive.result.cancelled = true;
        complete_locked(receive);
    }
    held.release();
    unlock_and_follow_up();
}

unexpected_message *engine::probe(const envelope &pattern, bool take, outcome &found) {
    const std::scoped_lock guard{lock_};
    enter_started_locked(); // what they take is not there for a probe
    unexpected_message *const message = matcher_.find(pattern);
    if (message == nullptr) {
        others_.ask_all_once(); // who probes waits for what nobody has posted a receive for
    }
    if (message != nullptr) {
        found.source = message->what.source;
        found.tag = message->what.tag;
        found.bytes = message->bytes;
        if (take) {
            matcher_.take(*message);
            update_congestion();
        }
    }
    return message;
}

receive_operation *receive_operation::make_anew(engine &home) {
    auto *const made = new receive_operation{home, {}, {}};
    made->ending = disposal::receive;
    return made;
}

void receive_operation::start() {
    complete.store(false, std::memory_order_relaxed);
    active = true;
    result = {};
    streamed = stream_end = 0;
    if (pattern.source == MPI_PROC_NULL) {
        result.source = MPI_PROC_NULL;
        result.error = home->failures().error_without_peer(pattern.context);
        home->complete(*this);
        return;
    }
    home->start(*this);
}

void receive_operation::describe(wait_note &note) const {
    note.add({pattern.context, buffer.bytes(), pattern.source, pattern.tag, wait_note::sort::receive});
}

void receive_operation::cancel() {
    home->cancel(*this);
}

outcome receive_in_general(const typed_buffer &buffer, const channel &channel, int source, int tag,
                           std::uint32_t posting) {
    receive_operation operation{channel, buffer, source, tag};
    operation.posting = posting;
    if (source == MPI_PROC_NULL) {
        operation.result.source = MPI_PROC_NULL;
        operation.result.error = channel.home->failures().error_without_peer(channel.context);
    } else if (!channel.home->start_and_look(operation)) {
        wait(operation);
    }
    return operation.result;
}

outcome receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    MPI_Status status;
    return try_receive_short(buffer, channel, source, tag, &status)
               ? outcome{.source = status.MPI_SOURCE,
                         .tag = status.MPI_TAG,
                         .bytes = outcome::load(status).bytes}
               : receive_in_general(buffer, channel, source, tag);
}

request *start_receive(const typed_buffer &buffer, const channel &channel, int source, int tag) {
    return start_receive_quickly(buffer, channel, source, tag);
}

outcome send_receive(const typed_buffer &send_buffer, int dest, int send_tag,
                     const typed_buffer &receive_buffer, int source, int receive_tag, const channel &channel,
                     send_mode mode) {
    if (mode == send_mode::standard && try_send_short(send_buffer, channel, dest, send_tag)) {
        return receive(receive_buffer, channel, source, receive_tag); // nothing is left but to wait for it
    }
    receive_operation receiving{channel, receive_buffer, source, receive_tag};
    receiving.start();
    try {
        send_in_general(send_buffer, channel, dest, send_tag, mode);
    } catch (...) {
        receiving.cancel(); // nothing may name it any more
        wait(receiving);
        throw;
    }
    wait(receiving);
    return receiving.result;
}

} // namespace lisle::protocol
