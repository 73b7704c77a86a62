// SPDX-License-Identifier: Apache-2.0
// What the engines of two ranks say to each other. A message is either carried by one packet (eager) or
// announced by one (rendezvous); what follows an announcement depends on where the two ranks live:
//
//   same process        receiver (or whoever makes progress for it) copies from the sender's buffer
//   readable memory     receiver offers to share the copy and reads, the sender writes at the same time if
//                       it is there (and says `written` if it was last); then the receiver says `done`
//   otherwise           receiver asks (`clear_to_send`), sender streams `data` packets
//
// Operations are named by identifiers (see id_table.hpp), those of another process never by addresses.
#pragma once

#include <cstdint>

namespace lisle::protocol {

enum class packet_kind : std::uint8_t {
    eager,         ///< envelope in the header, payload: the message
    announcement,  ///< envelope in the header, payload: `announcement`, then the message if `carries_data`
    clear_to_send, ///< payload: `clearance`
    data,          ///< context: the receiver's identifier, payload: the next bytes of the message
    offer,         ///< context: the receiver's identifier, source: its number, payload: `offer`
    written,       ///< context: the receiver's identifier; all pieces of the copy have ended
    done,          ///< context: the sender's identifier; its buffer is free
    cancel,        ///< context: the sender's identifier, source: its number in the job
    cancel_answer, ///< context: the sender's identifier, tag: 1 if the message was withdrawn
};

/// packet_header::flags of an announcement.
inline constexpr std::uint8_t carries_data = 1;

struct announcement {
    std::uint64_t bytes; ///< size of the message
    /// Where it lies in the sender's memory, in one piece; 0: in several, or not yet there. In one process:
    /// its operation, or 0.
    std::uint64_t address;
    std::uint64_t sender; ///< the sender's identifier, or where its data lie
    std::int32_t rank;    ///< the sender's number in the job
    /// 1: in one process, data in one piece, of a sender that has no identifier: it cannot be cancelled.
    std::uint32_t plain;
};

/// The receiver begins to read a message, and the sender may help.
struct offer {
    std::uint64_t sender;
    std::uint64_t address; ///< where the data goes in the receiver's memory, in one piece
    std::uint64_t bytes;   ///< how many, from the message's beginning
    std::uint64_t turn;    ///< of the receiver's cooperative copy
};

struct clearance {
    std::uint64_t sender;
    std::uint64_t receiver;
    std::uint64_t bytes; ///< how many the receiver wants, from the message's beginning
};

} // namespace lisle::protocol
