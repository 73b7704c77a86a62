// SPDX-License-Identifier: Apache-2.0
#include "protocol/pieces.hpp"

#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/wait.hpp"

namespace lisle::protocol {

// ---- the receiver ----

piecewise_receive::piecewise_receive(unexpected_message &message)
    : receiving_{message.home, {nullptr, message.bytes, *find_datatype(MPI_BYTE)}, {}} {
    receiving_.sender = message.sender;
    receiving_.pieces = &pieces_;
    message.home.transfers().ask_for_pieces(receiving_);
}

std::span<const std::byte> piecewise_receive::next() {
    engine &mine = *receiving_.home;
    std::span<const std::byte> piece;
    const awaited_ranks what;
    wait_until(
        mine, [&] { return mine.transfers().next_piece(receiving_, piece); }, &what);
    return piece;
}

std::span<const std::byte> receive_piece(unexpected_message &message) {
    engine &mine = message.home;
    if (!message.reading) {
        if (const void *const whole = message.shown ? nullptr : announced_receives::readable(message);
            whole != nullptr && message.bytes != 0) {
            message.shown = true;
            return {static_cast<const std::byte *>(whole), static_cast<std::size_t>(message.bytes)};
        }
        if (message.shown || message.bytes == 0) {
            mine.transfers().discard(message);
            return {};
        }
        message.reading = std::make_unique<piecewise_receive>(message);
    }
    const auto piece = static_cast<piecewise_receive &>(*message.reading).next();
    if (piece.empty()) { // its sender knows that all of it has gone
        unexpected_message::destroy(&message);
    }
    return piece;
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
    mine.announce_and_help(*operation);
    return operation;
}

void send_piece(send_operation &send, std::span<const std::byte> bytes) {
    engine &mine = *send.home;
    tell_sent(mine.routes(), {send.context, send.source, send.tag}, mine.core().self.number, send.dest);
    const awaited_request what{send};
    wait_until(
        mine, [&] { return mine.sends().may_stream(send); }, &what);
    for (unsigned tries = 0; !bytes.empty() && !send.complete.load(std::memory_order_acquire);) {
        const std::size_t sent = mine.sends().try_send_piece(send, bytes);
        if (sent == 0) {
            mine.waits().found_no_room(tries);
        }
        bytes = bytes.subspan(sent);
    }
}

} // namespace lisle::protocol
