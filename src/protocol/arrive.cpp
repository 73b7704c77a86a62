// SPDX-License-Identifier: Apache-2.0
// What an engine does with each packet that reaches its rank. All of it runs under the engine's lock, in
// a thread of the rank or of a sender that makes progress for it; nothing here may ask whose thread it is.
// What a packet says is checked before it is believed.
#include <cstring>

#include "base/copy_bytes.hpp"
#include "base/thread_sanitizer.hpp"
#include "datatype/copy.hpp"
#include "fabric/shared_memory.hpp"
#include "protocol/engine.hpp"
#include "protocol/refuse.hpp"

namespace lisle::protocol {

namespace {

template <class T> T read_as(const arrival &packet) {
    if (packet.payload.size() < sizeof(T)) {
        refuse(packet.peer, "is too short", packet.payload.size());
    }
    T value;
    std::memcpy(&value, packet.payload.data(), sizeof value);
    return value;
}

} // namespace

constexpr std::array<packet_handler, 256> engine::own_handlers() {
    std::array<packet_handler, 256> table{};
    const auto set = [&table](packet_kind kind, packet_handler handler) {
        table[static_cast<std::size_t>(kind)] = handler;
    };
    set(packet_kind::eager,
        [](engine &home, const arrival &packet) { home.arrived_eager(packet.what, packet.payload); });
    set(packet_kind::typed_eager, [](engine &home, const arrival &packet) { home.arrived_typed(packet); });
    set(packet_kind::announcement,
        [](engine &home, const arrival &packet) { home.arrived_announcement(packet); });
    set(packet_kind::clear_to_send,
        [](engine &home, const arrival &packet) { home.arrived_clearance(packet); });
    set(packet_kind::data, [](engine &home, const arrival &packet) { home.arrived_data(packet); });
    set(packet_kind::offer, [](engine &home, const arrival &packet) { home.arrived_offer(packet); });
    set(packet_kind::written, [](engine &home, const arrival &packet) { home.arrived_written(packet); });
    set(packet_kind::done, [](engine &home, const arrival &packet) { home.arrived_done(packet); });
    set(packet_kind::cancel, [](engine &home, const arrival &packet) { home.arrived_cancel(packet); });
    set(packet_kind::cancel_answer,
        [](engine &home, const arrival &packet) { home.arrived_cancel_answer(packet); });
    return table;
}

constinit std::array<packet_handler, 256> active_messages::handlers_ = engine::own_handlers();

void engine::store_long_data(receive_operation &receive, std::span<const std::byte> data) {
    const std::size_t stored = std::min(static_cast<std::size_t>(receive.buffer.bytes()), data.size());
    if (receive.buffer.type->contiguous()) [[likely]] {
        copy_bytes(receive.buffer.address, data.data(), stored);
    } else {
        unpack(receive.buffer, 0, data.first(stored));
    }
    receive.result.bytes = static_cast<MPI_Count>(stored);
    receive.result.error = stored < data.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void engine::arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload) {
    const envelope what{header.context, header.source, header.tag};
    if (header.kind == static_cast<std::uint8_t>(packet_kind::eager)) {
        arrived_eager(what, payload);
    } else {
        arrived_other(peer, what, packet_manner::of(header), payload);
    }
}

void engine::arrived_other(int peer, envelope what, packet_manner manner,
                           std::span<const std::byte> payload) {
    if (peer < 0 || peer >= routes_.size()) {
        refuse(peer, "comes from nobody", static_cast<unsigned>(peer));
    }
    const packet_handler handler = active_messages::handler_of(manner.kind);
    if (handler == nullptr) {
        refuse(peer, "is of an unknown kind", manner.kind);
    }
    if (wildcards_ != nullptr) [[unlikely]] {
        wildcards_->note(remark::of(manner.remark).moment);
    }
    handler(*this, {peer, what, manner.flags, manner.remark, payload});
}

void engine::note_arrival(const arrival &packet, const receive_operation *taker) {
    wildcards_->arrived(packet.what, remark::of(packet.remark).moment, taker != nullptr ? taker->posting : 0);
    if (taker != nullptr) {
        wildcards_->taken(*taker, packet.what, matcher_);
    }
}

void engine::take_locked(unexpected_message &message, const receive_operation &receive) {
    matcher_.take(message);
    if (wildcards_ != nullptr) [[unlikely]] {
        wildcards_->taken(receive, message.what, matcher_);
    }
    update_congestion();
}

void engine::keep_eager(envelope what, std::span<const std::byte> payload, receive_operation *captor) {
    unexpected_message *const message = unexpected_message::make(*this, payload.size());
    message->what = what;
    message->bytes = static_cast<MPI_Count>(payload.size());
    if (!payload.empty()) {
        copy_bytes(message->data().data(), payload.data(), payload.size());
    }
    keep_locked(*message, captor);
}

void engine::arrived_typed(const arrival &packet) {
    receive_operation *const receive = matcher_.match(packet.what);
    if (wildcards_ != nullptr) [[unlikely]] {
        note_arrival(packet, receive);
    }
    if (receive != nullptr && !receive->captures) {
        receive->result.source = packet.what.source;
        receive->result.tag = packet.what.tag;
        store_data(*receive, packet.payload);
        compare_types(*receive, packet.flags);
        complete_quietly_locked(*receive);
        return;
    }
    unexpected_message *const message = unexpected_message::make(*this, packet.payload.size());
    message->what = packet.what;
    message->bytes = static_cast<MPI_Count>(packet.payload.size());
    message->elements = packet.flags;
    copy_bytes(message->data().data(), packet.payload.data(), packet.payload.size());
    keep_locked(*message, receive);
}

void engine::compare_types(receive_operation &receive, std::uint8_t elements) noexcept {
    const bool fit = fit_together(static_cast<basic_type>(elements), receive.buffer.type->basic());
    if (!fit && receive.result.bytes != 0 && receive.result.error == MPI_SUCCESS) {
        receive.result.error = MPI_ERR_TYPE;
    }
}

void engine::arrived_announcement(const arrival &packet) {
    const envelope what = packet.what;
    announced_message said{read_as<announcement>(packet), packet.peer, packet.flags,
                           remark::of(packet.remark).elements};
    if (said.sender == 0 || said.bytes > INT64_MAX) {
        refuse(packet.peer, "announces a message of an impossible size", said.bytes);
    }
    if (said.here() ? !routes_.share_addresses(number_, packet.peer) || said.key != seal_ || said.address == 0
                    : said.plain()) {
        refuse(packet.peer, "says where data of another process lies", said.address);
    }
    const bool carries = (packet.flags & carries_data) != 0;
    const auto data = carries ? packet.payload.subspan(sizeof(announcement)) : std::span<const std::byte>{};
    if (carries && data.size() != said.bytes) {
        refuse(packet.peer, "carries less than it announces", data.size());
    }
    receive_operation *const receive = matcher_.match(what);
    if (wildcards_ != nullptr) [[unlikely]] {
        note_arrival(packet, receive);
    }
    if (receive != nullptr && !receive->captures) {
        receive->result.source = what.source;
        receive->result.tag = what.tag;
        receive->sender = said;
        if (carries) {
            store_data(*receive, data);
            compare_types(*receive, said.elements);
            tell_done_locked(said);
            complete_locked(*receive);
        } else {
            receive->next = std::exchange(transfers_, receive);
        }
        return;
    }
    unexpected_message *const message = unexpected_message::make(*this, data.size());
    message->what = what;
    message->bytes = static_cast<MPI_Count>(said.bytes);
    message->sender = said;
    message->elements = said.elements;
    if (!data.empty()) {
        std::memcpy(message->data().data(), data.data(), data.size());
    }
    keep_locked(*message, receive);
}

void engine::tell_done_locked(const announced_message &sender) {
    send_control_locked(sender.peer,
                        {sender.sender, 0, 0, static_cast<std::uint8_t>(packet_kind::done), 0, 0, 0}, nullptr,
                        0);
}

send_operation &engine::named_send(const arrival &packet, std::uint64_t id, const char *otherwise) {
    send_operation *const send = sends_.find(id);
    if (send == nullptr || send->dest != packet.peer) {
        refuse(packet.peer, otherwise, id);
    }
    return *send;
}

// After a failure or a revocation answers may come to sends that have ended.
bool engine::is_over(std::uint64_t send) const noexcept {
    return failures_.any() && sends_.find(send) == nullptr;
}

void engine::arrived_clearance(const arrival &packet) {
    const auto clear = read_as<clearance>(packet);
    if (is_over(clear.sender)) {
        return;
    }
    send_operation &send = named_send(packet, clear.sender, "asks for data that nobody announced");
    if (clear.bytes > static_cast<std::uint64_t>(send.buffer.bytes()) || send.receiver_id != 0) {
        refuse(packet.peer, "asks for more than was announced", clear.bytes);
    }
    if (!send.in_pieces) { // else the thread that makes them sends them
        streams_.push_back(send.dest, &send);
        count_waiting_locked();
        call_senders();
    }
    send.receiver_id = clear.receiver;
    send.streamed = 0;
    send.stream_end = static_cast<MPI_Count>(clear.bytes);
}

void engine::arrived_data(const arrival &packet) {
    receive_operation *const receive = receives_.find(packet.what.context);
    if (receive == nullptr && failures_.any()) {
        return; // it has ended
    }
    if (receive == nullptr || receive->sender.peer != packet.peer ||
        static_cast<MPI_Count>(packet.payload.size()) > receive->stream_end - receive->streamed) {
        refuse(packet.peer, "brings data that nobody asked for", packet.payload.size());
    }
    if (receive->pieces != nullptr) [[unlikely]] {
        keep_piece_locked(*receive, packet.payload);
    } else {
        unpack(receive->buffer, receive->streamed, packet.payload);
    }
    receive->streamed += static_cast<MPI_Count>(packet.payload.size());
    if (receive->streamed == receive->stream_end) {
        receives_.erase(packet.what.context);
        choice_.end(receive, static_cast<std::uint64_t>(receive->stream_end), clock_);
        complete_locked(*receive);
    }
}

void engine::arrived_done(const arrival &packet) {
    const std::uint64_t id = packet.what.context;
    if (is_over(id)) {
        return;
    }
    send_operation &send = named_send(packet, id, "reports the end of a message that was not sent to it");
    note_acquire_by_peer([&]() -> fabric::cooperative_copy * {
        fabric::shared_memory *const node = routes_.to(send.dest).node;
        return node != nullptr ? node->cooperative_copy_of(send.dest) : nullptr;
    });
    sends_.erase(id);
    withdraw_buffer(send);
    complete_locked(send);
}

void engine::arrived_cancel(const arrival &packet) {
    const std::uint64_t sender = packet.what.context;
    unexpected_message *const message = matcher_.find_announced(packet.peer, sender);
    if (message != nullptr) {
        matcher_.take(*message);
        unexpected_message::destroy(message);
        update_congestion();
    }
    send_control_locked(packet.peer,
                        {sender, 0, message != nullptr ? 1 : 0,
                         static_cast<std::uint8_t>(packet_kind::cancel_answer), 0, 0, 0},
                        nullptr, 0);
}

void engine::arrived_cancel_answer(const arrival &packet) {
    if (packet.what.tag == 0) {
        return; // it was received, so it completes like any other
    }
    // A withdrawn operation is still there: nobody else can complete it any more.
    const std::uint64_t id = packet.what.context;
    if (is_over(id)) {
        return;
    }
    send_operation &send = named_send(packet, id, "withdraws a message that was not sent to it");
    sends_.erase(id);
    withdraw_buffer(send);
    if (send.recalled) [[unlikely]] {
        failures_.fail_locked(send, MPIX_ERR_REVOKED);
        return;
    }
    send.result.cancelled = true;
    complete_locked(send);
}

void engine::update_congestion() {
    // Leaves congestion only well below the limit, so that the mark does not flicker.
    const bool congested = congested_ ? matcher_.stored_bytes() > unexpected_limit_ / 2
                                      : matcher_.stored_bytes() > unexpected_limit_;
    if (congested != congested_) {
        congested_ = congested;
        for (const auto &fabric : routes_.fabrics()) {
            fabric->set_congested(number_, congested);
        }
    }
}

} // namespace lisle::protocol
