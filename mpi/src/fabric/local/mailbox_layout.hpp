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
        if (ranks <= 16384) {
            return {64, 256};
        }
        return {16, 64};
    }

    /// Control lines and cells.
    [[nodiscard]] constexpr std::size_t head_bytes() const noexcept {
        return (2 + std::size_t{cells}) * line_bytes;
    }
    [[nodiscard]] constexpr std::size_t data_bytes() const noexcept {
        return std::size_t{data_lines} * line_bytes;
    }
    [[nodiscard]] constexpr std::size_t bytes() const noexcept { return head_bytes() + data_bytes(); }
};

/// Where the two parts of a mailbox lie. The heads of a job's mailboxes lie together, and apart from the
/// data: most ranks of a large job never get a payload that does not fit a cell, and heads share pages.
struct mailbox_room {
    std::byte *head;
    std::byte *data;

    /// The room of the rank with this index among those whose mailboxes begin at `all`.
    [[nodiscard]] static mailbox_room of(std::byte *all, int ranks, int rank,
                                         const mailbox_layout &layout) noexcept {
        const auto before = static_cast<std::size_t>(rank);
        return {all + before * layout.head_bytes(),
                all + static_cast<std::size_t>(ranks) * layout.head_bytes() + before * layout.data_bytes()};
    }
};

} // namespace lisle::fabric
