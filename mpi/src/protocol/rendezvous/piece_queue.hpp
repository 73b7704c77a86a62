// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>

namespace lisle::protocol {

/// What has come of a message that is received in pieces. Used under the engine's lock.
class piece_queue {
  public:
    /// One packet's data: in the mailbox, or a copy if it came another way.
    struct piece {
        std::span<const std::byte> bytes;
        std::unique_ptr<std::byte[]> copy;
    };
    std::deque<piece> waiting;
    bool shown = false; ///< the first of them is with the user
};

} // namespace lisle::protocol
