// SPDX-License-Identifier: Apache-2.0
// What a blocking receive of a short message comes down to: the rank that has the message, the receiver
// at its mailbox or a sender of the same thread, writes it straight to its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/copy_short.hpp"
#include "datatype/datatype.hpp"
#include "protocol/message/envelope.hpp"
#include "protocol/message/packet.hpp"
#include "protocol/message/request.hpp"

namespace lisle::protocol {

/// Stores a message of at most 32 bytes if it is the one that `pattern` wants and there is room for it.
[[nodiscard, gnu::always_inline]] inline bool store_if_wanted(std::byte *to, MPI_Count room,
                                                              const envelope &pattern, MPI_Status *status,
                                                              const envelope &what, const std::byte *data,
                                                              std::uint32_t bytes) noexcept {
    if (static_cast<MPI_Count>(bytes) > room || !pattern.accepts(what)) {
        return false;
    }
    if (status != MPI_STATUS_IGNORE) {
        outcome{.source = what.source, .tag = what.tag, .bytes = bytes}.store(status);
    }
    copy_short(to, data, bytes);
    return true;
}

/// With which messages' elements those of a receive are compared.
enum class comparison : unsigned char {
    none,   ///< with none: such a receive leaves strict messages to the general way
    strict, ///< with those of strict messages
    all,    ///< with all, for an observer
};

/// What a receive takes.
struct wanted_elements {
    type_mark mark;
    comparison with = comparison::none;

    /// @param kind of the packet, and what its flags say, if it has come whole and alone
    [[nodiscard, gnu::always_inline]] bool fit(std::uint8_t kind, std::uint8_t sent) const noexcept {
        if (with == comparison::all && !surely_fit(static_cast<basic_type>(sent), mark.basic())) {
            return false;
        }
        if (kind != static_cast<std::uint8_t>(packet_kind::eager)) [[unlikely]] {
            return with != comparison::none && kind == static_cast<std::uint8_t>(packet_kind::strict_eager) &&
                   mark.takes({static_cast<basic_type>(sent), true});
        }
        return true;
    }
};

/// A receive whose fiber lets others run meanwhile.
struct short_receive {
    std::byte *to;
    MPI_Count room; ///< in bytes
    envelope pattern;
    MPI_Status *status; ///< or MPI_STATUS_IGNORE
    wanted_elements elements;
    std::uint64_t claimed = 0; ///< of its mailbox: as long as it stays so, nothing else has been sent there
    bool taken = false;        ///< a sender has stored the message
};

/// What came of taking a message straight from the mailbox.
enum class take_result : unsigned char {
    taken,
    too_early,  ///< there is none yet, and other fibers of the worker can run meanwhile
    impossible, ///< take the general way
};

} // namespace lisle::protocol
