// SPDX-License-Identifier: Apache-2.0
// The receiving side of the rendezvous: how the data of announced messages get to the receiver. By one copy
// within a process, by copies of the kernel's between processes (both sides' in cooperative_copy.cpp), by
// reads over a route with remote memory (remote_read.cpp), or as a stream of packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/core/engine_core.hpp"
#include "protocol/core/failure_table.hpp"
#include "protocol/eager/inbox.hpp"
#include "protocol/matching/matching.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/rendezvous/path_choice.hpp"
#include "protocol/sending/id_table.hpp"
#include "protocol/sending/sender.hpp"

namespace lisle::fabric {
class cooperative_copy;
}

namespace lisle::protocol {

/// Functions whose names end in _locked, and those that take a packet, are called under the engine's lock;
/// all others without it.
class announced_receives {
  public:
    announced_receives(engine_core &core, matching &receives, sender &out, inbox &in,
                       const failure_table &failed)
        : core_{core}, receives_{receives}, out_{out}, in_{in}, failed_{failed} {}

    // ---- packets ----

    /// A message is announced, perhaps with its data.
    void on_announcement(const arrival &packet);
    void on_data(const arrival &packet);
    /// The sender has ended the last piece of a copy that both sides make.
    void on_written(const arrival &packet);
    /// The sender has filled a receive that it had claimed, or could not.
    void on_delivered(const arrival &packet);
    /// The sender wants a message back that has not been matched.
    void on_cancel(const arrival &packet);

    // ---- matched messages ----

    /// Fetches the data of a matched, announced message and completes both sides.
    void transfer(receive_operation &receive);
    /// Tells the sender of a receive that has its data, and completes the receive.
    void end(receive_operation &receive);
    /// Asks the sender of a matched message for its data, packet by packet, when there was no memory to do so
    /// before.
    void ask_again(receive_operation &receive);
    /// Takes an unexpected message that the caller owns into a receive.
    void accept(unexpected_message &message, receive_operation &receive);
    /// Drops an unexpected message that the caller owns, as if it had been received.
    void discard(unexpected_message &message);
    /// Where this rank can read the data of a message that was taken out of the tables, until it is
    /// discarded; null if nowhere.
    [[nodiscard]] static const void *readable(unexpected_message &message);

    // ---- messages in pieces ----

    /// Asks for the data of a matched message, packet by packet.
    void ask_for_pieces(receive_operation &receive);
    /// Drops the piece that was shown before and shows the next. False: it has not come yet; none: that was
    /// all.
    [[nodiscard]] bool next_piece(receive_operation &receive, std::span<const std::byte> &piece);

    /// Ends the streams that a failure or a revocation concerns.
    void end_failed_locked();

  private:
    class remote_read;
    [[nodiscard]] announced_message read_announcement(const arrival &packet) const;
    /// Of a message that has all its data: to its receive's buffer.
    void store_locked(receive_operation &receive, std::span<const std::byte> data, const type_note *note);
    // What the sender has said of its elements with what the receive takes; see message_observer.
    void compare(receive_operation &receive, std::uint8_t elements, const type_note *note);
    void compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner);
    void keep_locked(const arrival &packet, const announced_message &sender, std::span<const std::byte> data,
                     receive_operation *captor);
    void keep_piece(receive_operation &receive, std::span<const std::byte> payload);

    /// transfer(), as long as there is memory.
    void fetch(receive_operation &receive);
    /// Notes in the receive how much of its message it takes, and returns that.
    MPI_Count measure(receive_operation &receive);
    /// end() with the lock held.
    void end_locked(receive_operation &receive);
    /// Tells a peer of a receive by its number. Throws std::bad_alloc, and leaves no number behind then.
    template <class Tell> void tell_number_locked(receive_operation &receive, Tell tell);
    /// Moves the data of a matched message of a rank of this process.
    void copy_here(const receive_operation &receive, MPI_Count bytes);
    /// Tells the sender of a message whose data is no longer needed from it.
    void finish_sender(const announced_message &sender);
    void tell_done_locked(const announced_message &sender);
    /// Copies the data of another process from where they lie. False: they cannot be reached by address.
    [[nodiscard]] bool copy_by_address(const receive_operation &receive, MPI_Count bytes);
    /// Begins to fetch the data in another way, of which there always is one.
    void fetch(receive_operation &receive, MPI_Count bytes);
    void ask_for_stream_locked(receive_operation &receive, MPI_Count bytes);
    /// Asks for a stream if the message may come either way and that is to be preferred. True if so.
    [[nodiscard]] bool prefer_stream(receive_operation &receive, MPI_Count bytes);
    /// Begins to read the data from the peer's memory; the receive goes on afterwards. False: not possible.
    [[nodiscard]] bool read_from_peer(receive_operation &receive, MPI_Count bytes);
    /// Fetches a message together with its sender. False: not possible, nothing has happened.
    [[nodiscard]] bool copy_cooperatively(receive_operation &receive, MPI_Count bytes);
    void end_cooperative_copy_locked(receive_operation &receive);

    engine_core &core_;
    matching &receives_;
    sender &out_;
    inbox &in_;
    const failure_table &failed_;
    // Under the lock.
    id_table<receive_operation> streaming_;       ///< to which other processes stream, or write
    fabric::cooperative_copy *copying_ = nullptr; ///< under way with some sender
    path_choice choice_;                          ///< for long messages from other processes
};

template <class Tell> void announced_receives::tell_number_locked(receive_operation &receive, Tell tell) {
    receive.id = streaming_.insert(receive);
    try {
        tell();
    } catch (...) {
        streaming_.erase(receive.id);
        throw;
    }
}

} // namespace lisle::protocol
