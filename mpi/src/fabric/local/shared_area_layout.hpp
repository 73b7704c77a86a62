// SPDX-License-Identifier: Apache-2.0
// How much of a node's segment is set aside for memory that ranks share beside their mailboxes. Both the
// launcher, which reserves the memory, and the library, which uses it, compute this from the number of
// ranks alone.
#pragma once

#include <cstddef>

#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/published_receives.hpp"

namespace lisle::fabric::local {

struct shared_area_layout {
    std::size_t ranks;
    std::size_t tracks;  ///< of each rank
    std::size_t units;   ///< pieces of `unit_bytes` that blocks are made of
    std::size_t entries; ///< blocks that there can be at once
    unsigned receives;   ///< that each track of a rank can publish

    static constexpr std::size_t unit_bytes = 1024;
    static constexpr std::size_t head_bytes = 128;
    static constexpr std::size_t entry_bytes = 24;

    /// Memory grows with the ranks, not with their square: large jobs get less for each.
    [[nodiscard]] static constexpr shared_area_layout for_job_of(int ranks) noexcept {
        const auto count = static_cast<std::size_t>(ranks);
        const std::size_t units_each = count <= 128 ? 160 : count <= 1024 ? 16 : 4;
        const unsigned receives = count <= 128 ? published_receives::most_slots : 4;
        return {count, static_cast<std::size_t>(tracks_of_job(ranks)), count * units_each, 64 + 4 * count,
                receives};
    }

    /// For each rank a line with the word that says whether it sleeps, and one for the copy that each of its
    /// tracks shares.
    [[nodiscard]] constexpr std::size_t rank_bytes() const noexcept { return (1 + tracks) * line_bytes; }
    [[nodiscard]] static constexpr std::size_t copy_offset(int track) noexcept {
        return (1 + static_cast<std::size_t>(track)) * line_bytes;
    }

    [[nodiscard]] constexpr std::size_t entries_offset() const noexcept {
        return head_bytes + ranks * rank_bytes();
    }
    [[nodiscard]] constexpr std::size_t units_offset() const noexcept {
        return (entries_offset() + entries * entry_bytes + 63) / 64 * 64;
    }
    /// Apart from the lines of ranks above, which others look at more often.
    [[nodiscard]] constexpr std::size_t receives_offset(int rank, int track) const noexcept {
        const std::size_t before = static_cast<std::size_t>(rank) * tracks + static_cast<std::size_t>(track);
        return units_offset() + units * unit_bytes + before * published_receives::bytes_for(receives);
    }
    [[nodiscard]] constexpr std::size_t bytes() const noexcept {
        return receives_offset(static_cast<int>(ranks), 0);
    }
};

} // namespace lisle::fabric::local
