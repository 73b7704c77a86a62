// SPDX-License-Identifier: Apache-2.0
// The sending side of the rendezvous: messages that stay with their sender until the receiver asks for them.
// An announced send has an identifier in the sender's table until the receiver says that it is done.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "fabric/local/published_receives.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/core/failure_table.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/sending/sender.hpp"

namespace lisle::protocol {

/// Functions whose names end in _locked, and those that take a packet, are called under the engine's lock.
class announced_sends {
  public:
    announced_sends(engine_core &core, sender &out, const failure_table &failed)
        : core_{core}, out_{out}, failed_{failed} {}

    /// Tells the receiver of a message. False: it cannot be sent, and the operation has ended with an error.
    [[nodiscard]] bool announce(send_operation &send);
    /// The same for data in one piece, to a rank of the process that ends the send with one store: see
    /// request::begin_watching. Such a send has no identifier and cannot be cancelled.
    void announce_watched(send_operation &send);
    /// Copies a message that has been announced to another process of the node, if its receive is published
    /// and nobody takes it within so many looks. Without the lock, by the thread that the operation belongs
    /// to. True if the send is complete.
    [[nodiscard]] bool deliver(send_operation &send, unsigned looks);
    void cancel(send_operation &send);
    /// The receiver, a rank of the same process, has all of a message that nobody watches. Without the lock.
    void finish(send_operation &send, const message_observer *receiver);

    // ---- what receivers answer ----

    void on_clear_to_send(const arrival &packet);
    void on_offer(const arrival &packet);
    void on_done(const arrival &packet);
    void on_cancel_answer(const arrival &packet);

    // ---- streams ----

    /// Sends packets of the streams that find room now. @param only to peers that this fabric reaches; null:
    /// to all
    bool push_streams_locked(const fabric::packet_carrier *only);
    /// True if the receiver of a message in pieces wants them, or none any more.
    [[nodiscard]] bool may_stream(const send_operation &send);
    /// Sends so many of the bytes as fit into a packet, if there is room for one. Returns how many.
    [[nodiscard]] std::size_t try_send_piece(send_operation &send, std::span<const std::byte> bytes);

    /// Ends the sends that a failure or a revocation concerns.
    void end_failed_locked();

  private:
    class shared_copy;
    class delivery;
    /// Claims the receive of an announced message. Null: its receiver takes it, or nobody can yet.
    [[nodiscard]] std::unique_ptr<delivery> claim_receive(send_operation &send, unsigned looks);
    /// Whether the message is the next one for a receive that has been found.
    [[nodiscard]] bool is_next_for(const fabric::published_receives::found &receive,
                                   const send_operation &send) const;
    /// Where the receiver finds the message, and how it may read it: fills `said`. Returns the packet's
    /// flags.
    [[nodiscard]] std::uint8_t locate(send_operation &send, const fabric::route &way, announcement &said);
    /// Lets the receiver read the buffer of a long message, if the route has remote memory. True if so.
    [[nodiscard]] bool expose_buffer(send_operation &send, const fabric::route &way);
    void withdraw_buffer(send_operation &send) noexcept;
    /// Takes a send out of the table.
    void remove_locked(send_operation &send) noexcept;
    void end_locked(send_operation &send) {
        remove_locked(send);
        core_.complete_locked(send);
    }
    /// Asks the receiver to forget an announced message that it has not matched.
    void recall_locked(const send_operation &send);
    /// True if the buffer stays readable until the receiver answers.
    [[nodiscard]] bool is_recalled_locked(send_operation &send);
    /// The send that a peer names, which must be one to that peer; null: it has ended because of a failure.
    [[nodiscard]] send_operation *named(const arrival &packet, std::uint64_t id, const char *otherwise);
    /// Sends a packet of a stream, with at most so many bytes from that offset on, if there is room for one.
    /// Returns how many. By the thread that brings the data: no other one sends for the operation meanwhile.
    [[nodiscard]] std::optional<std::size_t> try_stream(send_operation &send, const typed_buffer &from,
                                                        MPI_Count offset, std::size_t most);
    /// The sender's part in a copy that both sides make. Without the lock. True if it has moved the last
    /// piece.
    [[nodiscard]] bool take_part(const shared_copy &part);
    /// Tells the receiver of that. False: there is no memory for it, and `part` is done again later.
    [[nodiscard]] bool report_end(shared_copy &part);

    engine_core &core_;
    sender &out_;
    const failure_table &failed_;
};

} // namespace lisle::protocol
