// SPDX-License-Identifier: Apache-2.0
// Who is told of a rank's messages where its program is checked (LISLE_CHECK): one object that all parts of
// an engine share. An engine without an observer asks for it where messages go the general ways only, so the
// short path costs nothing. See checking/message_checks.hpp for what is made of it.
#pragma once

#include <cstdint>
#include <optional>

#include "datatype/typed_buffer.hpp"
#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"

namespace lisle::protocol {

class matcher;
class receive_operation;

/// Thread-safe.
class message_observer {
  public:
    /// True: it is told of each message, so none takes a short path and receives are posted under the lock.
    [[nodiscard]] virtual bool follows_each_message() const noexcept = 0;

    // ---- what is sent ----

    /// The calling thread begins to send, or tries again. @param dest number in the job
    /// @return a number for the MPI call that it is in
    [[nodiscard]] virtual std::uint32_t begin_send(const envelope &message, int dest) = 0;
    /// The note that goes along with a message, or with its announcement; most messages have none.
    /// @param call as begin_send() has given it
    [[nodiscard]] virtual std::optional<type_note> describe(const typed_buffer &message,
                                                            std::uint32_t call) = 0;
    /// What a packet's header says besides: packet_header::annotation.
    /// @param elements basic_type of the message that the packet announces; 0: it announces none
    [[nodiscard]] virtual std::uint16_t annotate(std::uint8_t elements) const noexcept = 0;

    // ---- what arrives ----

    /// A receive of the program's is about to be posted.
    virtual void begin_receive(receive_operation &receive) = 0;
    virtual void packet_arrived(std::uint16_t annotation) noexcept = 0;
    /// A message has arrived. @param taker the receive that takes it; null: none yet
    /// @param stored what has arrived before and nobody has received
    virtual void message_arrived(const envelope &message, std::uint16_t annotation,
                                 const receive_operation *taker, const matcher &stored) = 0;
    /// A receive takes a message that had been stored.
    virtual void message_taken(const receive_operation &receive, const envelope &message,
                               const matcher &stored) = 0;
    /// A receive of another rank of the process has taken a message of this one's.
    virtual void follow(const message_observer &receiver) noexcept = 0;

    /// The receive has its data. @param elements basic_type that the sender has said @param note null: none
    virtual void compare(receive_operation &receive, std::uint8_t elements, const type_note *note) = 0;
    /// The same later. @param owner of the note, if one was kept, which is dropped
    virtual void compare_kept(receive_operation &receive, std::uint8_t elements, const void *owner) = 0;
    /// Keeps the note of a stored message, or of a receive whose data are still to come.
    virtual void keep(const void *message_or_receive, const type_note &note) = 0;
    virtual void move(const void *message, const receive_operation &receive) = 0;

  protected:
    ~message_observer() = default;
};

} // namespace lisle::protocol
