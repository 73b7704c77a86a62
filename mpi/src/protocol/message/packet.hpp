// SPDX-License-Identifier: Apache-2.0
// What the engines of two ranks say to each other. A message is either carried by one packet (eager) or
// announced by one (rendezvous: the announcement is what others call RTS); what follows an announcement
// depends on the route between the two ranks:
//
//   same address space  receiver (or a thread that makes progress for it) copies from the sender's buffer
//   node memory         receiver offers to share the copy and reads, the sender writes at the same time if
//                       it is there (and says `written` if it was last); then the receiver says `done` (FIN).
//                       If the receiver computes, the sender copies alone and says `delivered`
//   remote memory       receiver reads, then says `done`
//   packets only        receiver asks (`clear_to_send`, CTS), sender streams `data` packets
//
// Operations are named by identifiers (see id_table.hpp), those of another process never by addresses. Who
// sent a packet is known from the fabric; what the packet names must belong to that peer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/datatype.hpp"
#include "datatype/type_outline.hpp"
#include "datatype/type_signature.hpp"
#include "fabric/packet_carrier.hpp"

namespace lisle::protocol {

enum class packet_kind : std::uint8_t {
    eager,           ///< envelope in the header, payload: the message; flags: the basic_type of its elements
    strict_eager,    ///< the same of elements that are strict (datatype::strict())
    announcement,    ///< (RTS) envelope in the header, payload: `announcement`, then the message if
                     ///< `carries_data`
    clear_to_send,   ///< (CTS) payload: `clear_to_send`
    data,            ///< context: the receiver's identifier, payload: the next bytes of the message
    offer,           ///< context: the receiver's identifier, payload: `offer`
    written,         ///< context: the receiver's identifier; all pieces of the copy have ended
    done,            ///< (FIN) context: the sender's identifier; its buffer is free
    cancel,          ///< context: the sender's identifier
    cancel_answer,   ///< context: the sender's identifier, tag: 1 if the message was withdrawn
    described_eager, ///< payload: `type_note`, then as eager
    described_announcement, ///< payload: `type_note`, then as an announcement
    delivered,              ///< payload: `delivery_report`: what has become of a claimed receive
};

/// What ranks that check say of a message whose elements are of several types, and of all where everything is
/// looked for.
struct type_note {
    static constexpr std::size_t longest_place = 64;

    type_signature signature{}; ///< of the whole message
    type_outline outline{};
    char place[longest_place] =
        ""; ///< "MPI_Send at ring.c:12", or as much of its end as fits; empty: not said
};

/// What packet_header::annotation says: of elements, and the rest where ranks check.
struct annotation {
    static constexpr unsigned element_bits = 6;
    static constexpr std::uint16_t last_timestamp = 1023;

    /// Of an announcement: the basic_type of all elements; 0: not said. Said of strict elements, and where
    /// there is an observer.
    std::uint8_t elements = 0;
    /// See wildcard_races; last_timestamp: that or later.
    std::uint16_t timestamp = 0;

    [[nodiscard]] static constexpr annotation of(std::uint16_t packed) noexcept {
        return {static_cast<std::uint8_t>(packed & ((1U << element_bits) - 1)),
                static_cast<std::uint16_t>(packed >> element_bits)};
    }
    [[nodiscard]] constexpr std::uint16_t packed() const noexcept {
        return static_cast<std::uint16_t>(timestamp << element_bits | elements);
    }
};

/// The kind of the packet that brings a whole message of such elements.
[[nodiscard]] constexpr packet_kind eager_kind(type_mark mark) noexcept {
    return mark.strict() ? packet_kind::strict_eager : packet_kind::eager;
}
static_assert(static_cast<std::uint32_t>(eager_kind({basic_type::int8, true})) ==
              (type_mark{basic_type::int8, true}.value() & 0xff));

/// What a header says besides its envelope and its size, in one register.
struct packet_manner {
    std::uint8_t kind;
    std::uint8_t flags;
    std::uint16_t annotation;

    [[nodiscard]] static packet_manner of(const fabric::packet_header &header) noexcept {
        return {header.kind, header.flags, header.annotation};
    }
};

/// The first packets of messages, which have the envelope in the header.
[[nodiscard]] constexpr bool begins_message(std::uint8_t kind) noexcept {
    switch (packet_kind{kind}) {
    case packet_kind::eager:
    case packet_kind::strict_eager:
    case packet_kind::announcement:
    case packet_kind::described_eager:
    case packet_kind::described_announcement:
        return true;
    default:
        return false;
    }
}

/// Packets whose place among those of their sender means nothing: each is about one message of the receiver.
[[nodiscard]] constexpr bool answers_only(std::uint8_t kind) noexcept {
    return kind == static_cast<std::uint8_t>(packet_kind::clear_to_send) ||
           kind == static_cast<std::uint8_t>(packet_kind::done);
}

/// Kinds from here on are those of modules above the engine (active_messages.hpp).
inline constexpr std::uint8_t first_module_kind = 32;

/// Bytes of payload that a control packet has at most: what is kept where there is no room for it.
inline constexpr std::size_t control_bytes = 32;

// packet_header::flags of an announcement.
/// The message follows the announcement in the packet.
inline constexpr std::uint8_t carries_data = 1;
/// `address` is that of the sender's operation, and `key` the process's seal. Only where the route has the
/// same address space.
inline constexpr std::uint8_t within_process = 2;
/// Besides: the data lies in one piece at `sender`, and the send has no identifier: it cannot be cancelled.
inline constexpr std::uint8_t in_one_piece = 4;

/// `address` is in memory that has been exposed to remote copies, under `key`. Without this it is readable
/// only where the route has node memory.
inline constexpr std::uint8_t exposed_memory = 8;

struct announcement {
    std::uint64_t bytes; ///< size of the message
    /// Where the message lies in the sender's memory, in one piece; 0: in several, or it cannot be read.
    std::uint64_t address;
    std::uint64_t sender; ///< the sender's identifier
    std::uint64_t key;    ///< of the sender's memory, where the route has remote memory
};
static_assert(sizeof(announcement) <= control_bytes);

/// What a receiver knows of an announced message.
struct announced_message : announcement {
    std::int32_t peer = -1; ///< who announced it
    std::uint8_t flags = 0;
    std::uint8_t elements = 0; ///< as in its annotation
    [[nodiscard]] bool here() const noexcept { return (flags & within_process) != 0; }
    [[nodiscard]] bool plain() const noexcept { return (flags & in_one_piece) != 0; }
    [[nodiscard]] bool exposed() const noexcept { return (flags & exposed_memory) != 0; }
};

/// The receiver begins to read a message, and the sender may help.
struct offer {
    std::uint64_t sender;
    std::uint64_t address; ///< where the data goes in the receiver's memory, in one piece
    std::uint64_t bytes;   ///< how many, from the message's beginning
    std::uint64_t turn;    ///< of the receiver's cooperative copy
};
static_assert(sizeof(offer) <= control_bytes);

/// The sender has copied an announced message to the receive that it had claimed for it, or could not: then
/// the receiver fetches it (packet_kind::delivered).
struct delivery_report {
    std::uint64_t sender; ///< the sender's identifier
    std::uint32_t slot;   ///< of the published receive
    std::uint32_t copied; ///< 1: it has all that it takes of the message
};
static_assert(sizeof(delivery_report) <= control_bytes);

/// The receiver asks for the data (packet_kind::clear_to_send).
struct clear_to_send {
    std::uint64_t sender;
    std::uint64_t receiver;
    std::uint64_t bytes; ///< how many the receiver wants, from the message's beginning
};
static_assert(sizeof(clear_to_send) <= control_bytes);

} // namespace lisle::protocol
