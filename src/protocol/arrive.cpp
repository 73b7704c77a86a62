// SPDX-License-Identifier: Apache-2.0
// What an engine does with each packet that reaches its rank. All of it runs under the engine's lock, in
// a thread of the rank or of a sender that makes progress for it; nothing here may ask whose thread it is.
// What a packet says is checked before it is believed.
#include <cstring>

#include "datatype/copy.hpp"
#include "protocol/engine.hpp"
#include "protocol/refuse.hpp"
#include "base/copy_bytes.hpp"
#include "base/thread_sanitizer.hpp"

namespace lisle::protocol {

namespace {

template <class T> T read_as(std::span<const std::byte> payload) {
    if (payload.size() < sizeof(T)) {
        refuse("is too short", payload.size());
    }
    T value;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
}

} // namespace

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

void engine::arrived(const fabric::packet_header &header, std::span<const std::byte> payload) {
    const envelope what{header.context, header.source, header.tag};
    const auto kind = static_cast<packet_kind>(header.kind);
    if (kind == packet_kind::eager) {
        arrived_eager(what, payload);
    } else {
        arrived_other(what, kind, header.flags, payload);
    }
}

void engine::arrived_other(envelope what, packet_kind kind, std::uint8_t flags,
                           std::span<const std::byte> payload) {
    switch (kind) {
    case packet_kind::eager:
        break; // seen to by the callers
    case packet_kind::announcement:
        return arrived_announcement(what, flags, payload);
    case packet_kind::clear_to_send:
        return arrived_clearance(read_as<clearance>(payload));
    case packet_kind::data:
        return arrived_data(what.context, payload);
    case packet_kind::offer:
        return arrived_offer(what.source, what.context, read_as<offer>(payload));
    case packet_kind::written:
        return arrived_written(what.context);
    case packet_kind::done:
        return arrived_done(what.context);
    case packet_kind::cancel:
        return arrived_cancel(what.source, what.context);
    case packet_kind::cancel_answer:
        return arrived_cancel_answer(what.context, what.tag != 0);
    }
    refuse("is of an unknown kind", static_cast<unsigned>(kind));
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

void engine::arrived_announcement(const envelope &what, std::uint8_t flags,
                                  std::span<const std::byte> payload) {
    const auto said = read_as<announcement>(payload);
    if (said.rank < 0 || said.rank >= job_.size() || said.sender == 0 || said.bytes > INT64_MAX) {
        refuse("announces a message of an impossible sender or size", said.bytes);
    }
    if (said.plain != 0 && !lies_here(said)) {
        refuse("says where data of another process lie", said.sender);
    }
    const auto data =
        (flags & carries_data) != 0 ? payload.subspan(sizeof said) : std::span<const std::byte>{};
    if ((flags & carries_data) != 0 && data.size() != said.bytes) {
        refuse("carries less than it announces", data.size());
    }
    receive_operation *const receive = matcher_.match(what);
    if (receive != nullptr && !receive->captures) {
        receive->result.source = what.source;
        receive->result.tag = what.tag;
        receive->sender = said;
        if ((flags & carries_data) != 0) {
            store_data(*receive, data);
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
    if (!data.empty()) {
        std::memcpy(message->data().data(), data.data(), data.size());
    }
    keep_locked(*message, receive);
}

void engine::tell_done_locked(const announcement &sender) {
    send_control_locked(sender.rank,
                        {sender.sender, 0, 0, static_cast<std::uint8_t>(packet_kind::done), 0, 0, 0}, nullptr,
                        0);
}

void engine::arrived_clearance(const clearance &clear) {
    send_operation *const send = sends_.find(clear.sender);
    if (send == nullptr || clear.bytes > static_cast<std::uint64_t>(send->buffer.bytes())) {
        refuse("asks for data that nobody announced", clear.sender);
    }
    send->receiver_id = clear.receiver;
    send->streamed = 0;
    send->stream_end = static_cast<MPI_Count>(clear.bytes);
    if (!send->in_pieces) { // else whoever makes them sends them
        streams_.push_back(send);
        count_waiting_locked();
    }
}

void engine::arrived_data(std::uint64_t receiver, std::span<const std::byte> payload) {
    receive_operation *const receive = receives_.find(receiver);
    if (receive == nullptr ||
        static_cast<MPI_Count>(payload.size()) > receive->stream_end - receive->streamed) {
        refuse("brings data that nobody asked for", payload.size());
    }
    if (receive->pieces != nullptr) [[unlikely]] {
        keep_piece_locked(*receive, payload);
    } else {
        unpack(receive->buffer, receive->streamed, payload);
    }
    receive->streamed += static_cast<MPI_Count>(payload.size());
    if (receive->streamed == receive->stream_end) {
        receives_.erase(receiver);
        choice_.end(receive, static_cast<std::uint64_t>(receive->stream_end));
        complete_locked(*receive);
    }
}

void engine::arrived_done(std::uint64_t sender) {
    send_operation *const send = sends_.find(sender);
    if (send == nullptr) {
        refuse("reports the end of a message that was not sent", sender);
    }
    note_acquire_by_peer([&] { return routes_.to(send->dest).cooperative_copy_of(send->dest); });
    sends_.erase(sender);
    complete_locked(*send);
}

void engine::arrived_cancel(int from, std::uint64_t sender) {
    if (from < 0 || from >= job_.size()) {
        refuse("cancels for an impossible sender", static_cast<unsigned>(from));
    }
    unexpected_message *const message = matcher_.find_announced(from, sender);
    if (message != nullptr) {
        matcher_.take(*message);
        unexpected_message::destroy(message);
        update_congestion();
    }
    send_control_locked(from,
                        {sender, number_, message != nullptr ? 1 : 0,
                         static_cast<std::uint8_t>(packet_kind::cancel_answer), 0, 0, 0},
                        nullptr, 0);
}

void engine::arrived_cancel_answer(std::uint64_t sender, bool withdrawn) {
    if (!withdrawn) {
        return; // it was received, so it completes like any other
    }
    // A withdrawn operation is still there: nobody else can complete it any more.
    send_operation *const send = sends_.find(sender);
    if (send == nullptr) {
        refuse("withdraws a message that was not sent", sender);
    }
    sends_.erase(sender);
    send->result.cancelled = true;
    complete_locked(*send);
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
