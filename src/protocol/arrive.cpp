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
#include "protocol/handlers.hpp"
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

/// What a packet says in front of what it is about.
type_note note_in(const arrival &packet, bool wanted) {
    if (!wanted) {
        refuse(packet.peer, "describes a message to a rank that compares none", packet.payload.size());
    }
    return read_as<type_note>(packet);
}

arrival without_note(const arrival &packet) {
    return {packet.peer, packet.what, packet.flags, packet.remark, packet.payload.subspan(sizeof(type_note))};
}

} // namespace

constexpr std::array<packet_handler, 256> engine::handlers::table() {
    std::array<packet_handler, 256> all{};
    const auto set = [&all](packet_kind kind, packet_handler handler) {
        all[static_cast<std::size_t>(kind)] = handler;
    };
    set(packet_kind::eager, on_eager);
    set(packet_kind::announcement, on_announcement);
    set(packet_kind::clear_to_send, on_clearance);
    set(packet_kind::data, on_data);
    set(packet_kind::offer, on_offer);
    set(packet_kind::written, on_written);
    set(packet_kind::done, on_done);
    set(packet_kind::cancel, on_cancel);
    set(packet_kind::cancel_answer, on_cancel_answer);
    set(packet_kind::described_eager, on_described_eager);
    set(packet_kind::described_announcement, on_described_announcement);
    return all;
}

constinit std::array<packet_handler, 256> active_messages::handlers_ = engine::handlers::table();

void engine::arrived(int peer, const fabric::packet_header &header, std::span<const std::byte> payload) {
    const envelope what{header.context, header.source, header.tag};
    if (header.kind == static_cast<std::uint8_t>(packet_kind::eager) && !checks_types_) {
        arrived_eager<false>(what, 0, payload, matcher_.match(what));
    } else {
        arrived_other(peer, what, packet_manner::of(header), payload);
    }
}

bool engine::awaits(const fabric::packet_header &header) {
    const envelope what{header.context, header.source, header.tag};
    return !matcher_
                .posted_where(
                    [&what](const receive_operation &receive) { return receive.pattern.accepts(what); })
                .empty();
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

void engine::handlers::note_arrival(engine &home, const arrival &packet, const receive_operation *taker) {
    home.wildcards_->arrived(packet.what, remark::of(packet.remark).moment,
                             taker != nullptr ? taker->posting : 0);
    if (taker != nullptr) {
        home.wildcards_->taken(*taker, packet.what, home.matcher_);
    }
}

void engine::take_locked(unexpected_message &message, const receive_operation &receive) {
    matcher_.take(message);
    if (wildcards_ != nullptr) [[unlikely]] {
        wildcards_->taken(receive, message.what, matcher_);
    }
    update_congestion();
}

void engine::keep_eager(envelope what, std::span<const std::byte> payload, receive_operation *captor,
                        std::uint8_t elements) {
    unexpected_message *const message = unexpected_message::make(*this, payload.size());
    message->what = what;
    message->bytes = static_cast<MPI_Count>(payload.size());
    message->elements = elements;
    if (!payload.empty()) {
        copy_bytes(message->data().data(), payload.data(), payload.size());
    }
    keep_locked(*message, captor);
}

void engine::handlers::on_eager(engine &home, const arrival &packet) {
    if (!home.checks_types_) {
        home.arrived_eager<false>(packet.what, 0, packet.payload, home.matcher_.match(packet.what));
        return;
    }
    receive_operation *const receive = home.matcher_.match(packet.what);
    if (home.wildcards_ != nullptr) [[unlikely]] {
        note_arrival(home, packet, receive);
    }
    home.arrived_eager<true>(packet.what, packet.flags, packet.payload, receive);
}

[[gnu::always_inline]] inline void engine::handlers::announced(engine &home, const arrival &packet,
                                                               const type_note *note) {
    const envelope what = packet.what;
    announced_message said{read_as<announcement>(packet), packet.peer, packet.flags,
                           remark::of(packet.remark).elements};
    if (said.sender == 0 || said.bytes > INT64_MAX) {
        refuse(packet.peer, "announces a message of an impossible size", said.bytes);
    }
    // Who knows the seal is of this process.
    if (said.here() ? said.key != home.seal_ || said.address == 0 : said.plain()) {
        refuse(packet.peer, "says where data of another process lies", said.address);
    }
    const bool carries = (packet.flags & carries_data) != 0;
    const auto data = carries ? packet.payload.subspan(sizeof(announcement)) : std::span<const std::byte>{};
    if (carries && data.size() != said.bytes) {
        refuse(packet.peer, "carries less than it announces", data.size());
    }
    receive_operation *const receive = home.matcher_.match(what);
    if (home.wildcards_ != nullptr) [[unlikely]] {
        note_arrival(home, packet, receive);
    }
    if (receive != nullptr && !receive->captures) {
        receive->result.source = what.source;
        receive->result.tag = what.tag;
        receive->sender = said;
        if (carries) {
            store_data(*receive, data);
            if (said.elements != 0) [[unlikely]] {
                home.notes_->compare(*receive, said.elements, note);
            }
            home.tell_done_locked(said);
            home.complete_locked(*receive);
        } else {
            if (note != nullptr) {
                home.notes_->keep(receive, *note);
            }
            receive->next = std::exchange(home.transfers_, receive);
        }
        return;
    }
    unexpected_message *const message = unexpected_message::make(home, data.size());
    message->what = what;
    message->bytes = static_cast<MPI_Count>(said.bytes);
    message->sender = said;
    message->elements = said.elements;
    if (!data.empty()) {
        std::memcpy(message->data().data(), data.data(), data.size());
    }
    if (note != nullptr) {
        home.notes_->keep(message, *note);
    }
    home.keep_locked(*message, receive);
}

void engine::handlers::on_announcement(engine &home, const arrival &packet) {
    announced(home, packet, nullptr);
}

void engine::handlers::on_described_announcement(engine &home, const arrival &packet) {
    const type_note note = note_in(packet, home.checks_types_);
    announced(home, without_note(packet), &note);
}

void engine::handlers::on_described_eager(engine &home, const arrival &packet) {
    const type_note note = note_in(packet, home.checks_types_);
    const auto data = without_note(packet).payload;
    receive_operation *const receive = home.matcher_.match(packet.what);
    if (home.wildcards_ != nullptr) {
        note_arrival(home, packet, receive);
    }
    if (receive != nullptr && !receive->captures) {
        receive->result.source = packet.what.source;
        receive->result.tag = packet.what.tag;
        store_data(*receive, data);
        home.notes_->compare(*receive, packet.flags, &note);
        home.complete_quietly_locked(*receive);
        return;
    }
    unexpected_message *const message = unexpected_message::make(home, data.size());
    message->what = packet.what;
    message->bytes = static_cast<MPI_Count>(data.size());
    message->elements = packet.flags;
    copy_bytes(message->data().data(), data.data(), data.size());
    home.notes_->keep(message, note);
    home.keep_locked(*message, receive);
}

void engine::tell_done_locked(const announced_message &sender) {
    send_control_locked(sender.peer,
                        {sender.sender, 0, 0, static_cast<std::uint8_t>(packet_kind::done), 0, 0, 0}, nullptr,
                        0);
}

send_operation &engine::handlers::named_send(engine &home, const arrival &packet, std::uint64_t id,
                                             const char *otherwise) {
    send_operation *const send = home.sends_.find(id);
    if (send == nullptr || send->dest != packet.peer) {
        refuse(packet.peer, otherwise, id);
    }
    return *send;
}

bool engine::handlers::is_over(engine &home, std::uint64_t send) noexcept {
    return home.failures_.any() && home.sends_.find(send) == nullptr;
}

void engine::handlers::on_clearance(engine &home, const arrival &packet) {
    const auto clear = read_as<clearance>(packet);
    if (is_over(home, clear.sender)) {
        return;
    }
    send_operation &send = named_send(home, packet, clear.sender, "asks for data that nobody announced");
    if (clear.bytes > static_cast<std::uint64_t>(send.buffer.bytes()) || send.receiver_id != 0) {
        refuse(packet.peer, "asks for more than was announced", clear.bytes);
    }
    if (!send.in_pieces) { // else the thread that makes them sends them
        home.outbox_.add(send);
        home.call_senders();
    }
    send.receiver_id = clear.receiver;
    send.stream_end = static_cast<MPI_Count>(clear.bytes);
}

void engine::handlers::on_data(engine &home, const arrival &packet) {
    receive_operation *const receive = home.receives_.find(packet.what.context);
    if (receive == nullptr && home.failures_.any()) {
        return; // it has ended
    }
    if (receive == nullptr || receive->sender.peer != packet.peer ||
        static_cast<MPI_Count>(packet.payload.size()) > receive->stream_end - receive->streamed) {
        refuse(packet.peer, "brings data that nobody asked for", packet.payload.size());
    }
    if (receive->pieces != nullptr) [[unlikely]] {
        home.keep_piece_locked(*receive, packet.payload);
    } else {
        unpack(receive->buffer, receive->streamed, packet.payload);
    }
    receive->streamed += static_cast<MPI_Count>(packet.payload.size());
    if (receive->streamed == receive->stream_end) {
        home.receives_.erase(packet.what.context);
        home.choice_.end(receive, static_cast<std::uint64_t>(receive->stream_end), home.clock_);
        home.complete_locked(*receive);
    }
}

void engine::handlers::on_done(engine &home, const arrival &packet) {
    const std::uint64_t id = packet.what.context;
    if (is_over(home, id)) {
        return;
    }
    send_operation &send =
        named_send(home, packet, id, "reports the end of a message that was not sent to it");
    note_acquire_by_peer([&]() -> fabric::cooperative_copy * {
        fabric::shared_memory *const node = home.routes_.to(send.dest).node;
        return node != nullptr ? node->cooperative_copy_of(send.dest) : nullptr;
    });
    home.sends_.erase(id);
    home.withdraw_buffer(send);
    home.complete_locked(send);
}

void engine::handlers::on_cancel(engine &home, const arrival &packet) {
    const std::uint64_t sender = packet.what.context;
    unexpected_message *const message = home.matcher_.find_announced(packet.peer, sender);
    if (message != nullptr) {
        home.matcher_.take(*message);
        unexpected_message::destroy(message);
        home.update_congestion();
    }
    home.send_control_locked(packet.peer,
                             {sender, 0, message != nullptr ? 1 : 0,
                              static_cast<std::uint8_t>(packet_kind::cancel_answer), 0, 0, 0},
                             nullptr, 0);
}

void engine::handlers::on_cancel_answer(engine &home, const arrival &packet) {
    if (packet.what.tag == 0) {
        return; // it was received, so it completes like any other
    }
    // A withdrawn operation is still there: nobody else can complete it any more.
    const std::uint64_t id = packet.what.context;
    if (is_over(home, id)) {
        return;
    }
    send_operation &send = named_send(home, packet, id, "withdraws a message that was not sent to it");
    home.sends_.erase(id);
    home.withdraw_buffer(send);
    if (send.recalled) [[unlikely]] {
        home.failures_.fail_locked(send, MPIX_ERR_REVOKED);
        return;
    }
    send.result.cancelled = true;
    home.complete_locked(send);
}

void engine::change_congestion() {
    // Leaves congestion only well below the limit, so that the mark does not flicker.
    const bool congested = congested_ ? matcher_.stored_bytes() > limits_.unexpected / 2
                                      : matcher_.stored_bytes() > limits_.unexpected;
    if (congested != congested_) {
        congested_ = congested;
        for (fabric::fabric *const fabric : routes_.fabrics()) {
            fabric->set_congested(number_, congested);
        }
    }
}

} // namespace lisle::protocol
