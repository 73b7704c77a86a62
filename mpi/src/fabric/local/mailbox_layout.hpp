// SPDX-License-Identifier: Apache-2.0
// How large the mailboxes of a job's ranks are. Both the launcher, which reserves the
// memory, and the library, which uses it, compute this from the number of ranks alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric/track_count.hpp"

namespace lisle::fabric {

inline constexpr std::size_t line_bytes = 64;

/// Sizes of the two rings of a mailbox, both powers of two.
struct mailbox_layout {
    std::uint32_t cells;      ///< packets that can be under way at once
    std::uint32_t data_lines; ///< room for payloads that do not fit into their cell, in lines of 64 bytes

    /// Memory grows with the ranks, not with their square: large jobs get smaller mailboxes.
    /// @param track those but the first carry less
    [[nodiscard]] static constexpr mailbox_layout for_job_of(int ranks, int track = 0) noexcept {
        if (ranks <= 128 && track == 0) {
            return {512, 2048};
        }
        if (ranks <= 1024) {
            return {256, 1024};
        }
        return {64, 256};
    }

    /// Control lines, cells and data together.
    [[nodiscard]] constexpr std::size_t bytes() const noexcept {
        return (2 + std::size_t{cells} + data_lines) * line_bytes;
    }
};

} // namespace lisle::fabric
