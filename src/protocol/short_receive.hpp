// SPDX-License-Identifier: Apache-2.0
// What a blocking receive of a short message comes down to: whoever has the message, the receiver at its
// mailbox or a sender of the same thread, writes it straight to its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/envelope.hpp"
#include "protocol/request.hpp"
#include "runtime/copy_short.hpp"

namespace lisle::protocol {

struct short_receive {
    std::byte *to;
    MPI_Count room; ///< in bytes
    envelope pattern;
    MPI_Status *status; ///< or MPI_STATUS_IGNORE
    // While a fiber lets others run:
    std::uint64_t claimed = 0; ///< of its mailbox: as long as it stays so, nothing else has been sent there
    bool taken = false;        ///< a sender has stored the message

    /// Stores a message of at most 32 bytes. False: it is not the one, or there is not enough room for it.
    [[nodiscard, gnu::always_inline]] bool take(const envelope &what, const std::byte *data,
                                                std::uint32_t bytes) const noexcept {
        if (static_cast<MPI_Count>(bytes) > room || !pattern.accepts(what)) {
            return false;
        }
        if (status != MPI_STATUS_IGNORE) {
            outcome{.source = what.source, .tag = what.tag, .bytes = bytes}.store(status);
        }
        copy_short(to, data, bytes);
        return true;
    }
};

} // namespace lisle::protocol
