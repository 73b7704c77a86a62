// SPDX-License-Identifier: Apache-2.0
#include "protocol/rendezvous/pieces.hpp"

#include <algorithm>
#include <mutex>

#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/progress/wait.hpp"

namespace lisle::protocol {

// ---- the receiver ----

piecewise_receive::piecewise_receive(unexpected_message &message)
    : receiving_{message.home, {nullptr, message.bytes, *find_datatype(MPI_BYTE)}, {}} {
    receiving_.sender = message.sender;
    receiving_.pieces = &pieces_;
    message.home.ask_for_pieces(receiving_);
}

std::span<const std::byte> piecewise_receive::next() {
    engine &mine = *receiving_.home;
    std::span<const std::byte> piece;
    const awaited_ranks what;
    wait_until(
        mine, [&] { return mine.next_piece(receiving_, piece); }, &what);
    return piece;
}

std::span<const std::byte> receive_piece(unexpected_message &message) {
    engine &mine = message.home;
    if (!message.reading) {
        if (const void *const whole = message.shown ? nullptr : mine.readable(message);
            whole != nullptr && message.bytes != 0) {
            message.shown = true;
            return {static_cast<const std::byte *>(whole), static_cast<std::size_t>(message.bytes)};
        }
        if (message.shown || message.bytes == 0) {
            mine.discard(message);
            return {};
        }
        message.reading = std::make_unique<piecewise_receive>(message);
    }
    const auto piece = message.reading->next();
    if (piece.empty()) { // its sender knows that all of it has gone
        unexpected_message::destroy(&message);
    }
    return piece;
}

void engine::ask_for_pieces(receive_operation &receive) {
    const std::scoped_lock guard{lock_};
    ++read_in_pieces_;
    expect_locked(receive, receive.sender.peer);
    ask_for_stream_locked(receive, receive.buffer.bytes());
}

void engine::keep_piece_locked(receive_operation &receive, std::span<const std::byte> payload) {
    auto &piece = receive.pieces->waiting.emplace_back();
    if (inbox_ != nullptr && inbox_->holds(payload.data())) {
        inbox_->hold();
        piece.bytes = payload;
        return;
    }
    piece.copy.reset(new std::byte[payload.size()]);
    std::copy(payload.begin(), payload.end(), piece.copy.get());
    piece.bytes = {piece.copy.get(), payload.size()};
}

bool engine::next_piece(receive_operation &receive, std::span<const std::byte> &piece) {
    const std::scoped_lock guard{lock_};
    piece_queue &pieces = *receive.pieces;
    if (std::exchange(pieces.shown, false)) {
        if (!pieces.waiting.front().copy) {
            inbox_->release();
        }
        pieces.waiting.pop_front();
    }
    if (!pieces.waiting.empty()) {
        pieces.shown = true;
        piece = pieces.waiting.front().bytes;
        return true;
    }
    if (!receive.complete.load(std::memory_order_relaxed)) {
        return false;
    }
    --read_in_pieces_;
    return true;
}

// ---- the sender ----

request *start_send_in_pieces(MPI_Count bytes, const channel &channel, int dest, int tag) {
    engine &mine = *channel.home;
    if (dest == MPI_PROC_NULL) {
        return mine.completed_send();
    }
    auto *const operation = new send_operation{
        {nullptr, bytes, *find_datatype(MPI_BYTE)}, channel, dest, tag, send_mode::standard};
    operation->in_pieces = true;
    mine.announce(*operation);
    mine.help(operation->dest);
    return operation;
}

void send_piece(send_operation &send, std::span<const std::byte> bytes) {
    engine &mine = *send.home;
    const awaited_request what{send};
    wait_until(
        mine, [&] { return mine.may_stream(send); }, &what);
    for (unsigned tries = 0; !bytes.empty() && !send.complete.load(std::memory_order_acquire);) {
        const std::size_t sent = mine.try_send_piece(send, bytes);
        if (sent == 0) {
            mine.found_no_room(tries);
        }
        bytes = bytes.subspan(sent);
    }
}

bool engine::may_stream(const send_operation &send) {
    const std::scoped_lock guard{lock_};
    return send.receiver_id != 0 || send.complete.load(std::memory_order_relaxed);
}

std::size_t engine::try_send_piece(send_operation &send, std::span<const std::byte> bytes) {
    const auto left = static_cast<std::size_t>(send.stream_end - send.streamed);
    const typed_buffer from{bytes.data(), static_cast<MPI_Count>(bytes.size()), *find_datatype(MPI_BYTE)};
    const auto sent = try_stream(send, from, 0, std::min(left, bytes.size()));
    if (sent && send.streamed == send.stream_end) {
        lock_.lock();
        end_stream_locked(send);
        unlock_and_follow_up();
    }
    return sent.value_or(0);
}

} // namespace lisle::protocol
