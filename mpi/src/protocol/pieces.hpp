// SPDX-License-Identifier: Apache-2.0
// Long messages bit by bit: a sender that makes its data as it goes, and a receiver that uses each piece
// before the next one comes, so that both work at the same time. Between them flows an ordinary stream of
// packets (rendezvous/), so that either end may also be an ordinary one. The receiver reads packets where
// they lie in its mailbox; those wait for it there, and hold up others behind them no longer than it takes
// for one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "protocol/matching/unexpected.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/rendezvous/piece_queue.hpp"

namespace lisle::protocol {

/// The receiving end of a message that is not here yet. Lives with the message.
class piecewise_receive final : public piecewise_state {
  public:
    explicit piecewise_receive(unexpected_message &message);
    piecewise_receive(const piecewise_receive &) = delete;
    piecewise_receive &operator=(const piecewise_receive &) = delete;
    /// Waits for more of the message: valid until the next call. Empty: that was all.
    [[nodiscard]] std::span<const std::byte> next();

  private:
    receive_operation receiving_;
    piece_queue pieces_;
};

/// The next piece of a message that a matched probe has taken. Empty: that was all, and the message is gone.
[[nodiscard]] std::span<const std::byte> receive_piece(unexpected_message &message);

/// Begins a message of which send_piece() brings the data. The caller owns the request.
[[nodiscard]] request *start_send_in_pieces(MPI_Count bytes, const channel &channel, int dest, int tag);
/// Returns when the bytes are on their way.
/// @pre the request is one of start_send_in_pieces(), and no more bytes are given than were announced
void send_piece(send_operation &send, std::span<const std::byte> bytes);

} // namespace lisle::protocol
