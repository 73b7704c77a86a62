// SPDX-License-Identifier: Apache-2.0
// The part of a node's segment that ranks share beside their mailboxes: blocks of memory that are found
// under a key by the ranks that use them, and for each rank a word that says whether it may be asleep and,
// for each of its tracks, the state of the one long copy that it shares with a sender and the receives that
// it publishes. Whether there is a block under a key is the same for all who ever ask for it: the first one
// decides, the decision stays until all have let go, and once decisions cannot be kept any more, no more are
// made.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/spin_lock.hpp"
#include "execution/doorbell.hpp"
#include "fabric/local/cooperative_copy.hpp"
#include "fabric/local/shared_area_layout.hpp"

namespace lisle::fabric::local {

class shared_area {
  public:
    /// @param memory zeroed when the job began, layout.bytes() long
    shared_area(std::byte *memory, shared_area_layout layout) noexcept : memory_{memory}, layout_{layout} {}

    /// The block under `key`, made and zeroed if nobody has asked for it yet; null: there is no room. All
    /// who ask name the same size.
    [[nodiscard]] std::byte *block(std::uint64_t key, std::size_t bytes) noexcept;
    /// One of `sharers` that asked for the block will use it no more; the last one frees it.
    void leave(std::uint64_t key, int sharers) noexcept;

    /// Says that `rank` is about to sleep. False: it had not said so yet, and has to look once more at
    /// what others may have written before it does.
    [[nodiscard]] bool watch(int rank) noexcept;
    /// Rings if `rank` watches. Call after storing, with sequential consistency, what it is to see.
    void nudge(int rank, doorbell &bell) noexcept;
    /// False: nudge() would do nothing.
    [[nodiscard]] bool watched(int rank) noexcept {
        return watch_word(rank).load(std::memory_order_seq_cst) != 0; // keeps the line shared
    }
    /// False: it would do nothing for any rank.
    [[nodiscard]] bool anyone_watches() noexcept {
        return top().watching.load(std::memory_order_seq_cst) != 0;
    }

    /// Whether processes may read and write each other's memory: the first answer that somebody `found`
    /// stays; returns that. Nothing if nobody has found one yet and the caller has not either.
    [[nodiscard]] std::optional<bool> memory_open(std::optional<bool> found) noexcept;

    [[nodiscard]] cooperative_copy &copy_of(int rank, int track) noexcept {
        return *reinterpret_cast<cooperative_copy *>(line_of(rank) + shared_area_layout::copy_offset(track));
    }
    [[nodiscard]] published_receives receives_of(int rank, int track) noexcept {
        return {memory_ + layout_.receives_offset(rank, track), layout_.receives};
    }

  private:
    // Zeroed memory is a valid head, and an entry with key 0 is none.
    struct head {
        spin_lock lock;     ///< protects all below and the entries
        bool closed;        ///< a decision could not be kept: no new blocks
        std::uint32_t used; ///< entries before this one may hold something
        /// Units before this one have been used: all others are zero as at the beginning.
        std::uint32_t used_units;
        /// 0: nobody has asked yet, 1: closed, 2: open. Relaxed: it is all that is told.
        std::atomic<std::uint32_t> memory;
        /// Ranks that watch, or more: one counts before it sets its word, and who clears the word counts it
        /// down. Sequentially consistent, as the words.
        alignas(line_bytes) std::atomic<std::uint32_t> watching;
    };
    struct entry {
        std::uint64_t key;
        std::uint32_t first; ///< unit
        std::uint32_t units; ///< 0: refused
        std::uint32_t left;  ///< sharers that are gone
    };
    static_assert(sizeof(cooperative_copy) <= line_bytes);
    static_assert(sizeof(head) <= shared_area_layout::head_bytes);
    static_assert(sizeof(entry) == shared_area_layout::entry_bytes);

    [[nodiscard]] head &top() noexcept { return *reinterpret_cast<head *>(memory_); }
    [[nodiscard]] entry *entries() noexcept {
        return reinterpret_cast<entry *>(memory_ + layout_.entries_offset());
    }
    [[nodiscard]] std::byte *unit(std::uint32_t index) noexcept {
        return memory_ + layout_.units_offset() + index * shared_area_layout::unit_bytes;
    }
    [[nodiscard]] std::byte *line_of(int rank) noexcept {
        return memory_ + shared_area_layout::head_bytes +
               static_cast<std::size_t>(rank) * layout_.rank_bytes();
    }
    [[nodiscard]] std::atomic<std::uint32_t> &watch_word(int rank) noexcept {
        return *reinterpret_cast<std::atomic<std::uint32_t> *>(line_of(rank));
    }
    [[nodiscard]] entry *find_locked(std::uint64_t key) noexcept;
    [[nodiscard]] bool find_room_locked(std::uint32_t units, std::uint32_t &first) noexcept;

    std::byte *memory_;
    shared_area_layout layout_;
};

} // namespace lisle::fabric::local
