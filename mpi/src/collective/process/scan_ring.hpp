// SPDX-License-Identifier: Apache-2.0
// What one worker group of an in-process collective hands on to the next in a scan: a ring of slots with one
// writer and one reader, so worker groups that come first do not wait for those that come later. A slot
// shares its first line with the word that publishes it: a few bytes are one line handed over. Invariant:
// slot n % depth is written for scan n only after that of scan n - depth has been taken.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/caches.hpp"
#include "mpi.h"

namespace lisle::collective {

class scan_ring {
  public:
    /// Bytes that fit a slot.
    static constexpr MPI_Count most = 2048;
    /// The length of a slot that says that sizes differ.
    static constexpr MPI_Count mismatch = -1;

    // For the writer. Scans are numbered from 0 on.
    [[nodiscard]] bool has_room(std::uint64_t number) noexcept {
        if (number >= known_taken_ + depth) {
            known_taken_ = taken_.load(std::memory_order_seq_cst);
        }
        return number < known_taken_ + depth;
    }
    /// Where the data go, aligned for all types. @pre has_room(number)
    [[nodiscard]] std::byte *place(std::uint64_t number) noexcept { return slot_of(number).data; }
    /// Hands on what lies there. @param bytes at most `most`, or misfit
    void post(std::uint64_t number, MPI_Count bytes) noexcept {
        slot &to = slot_of(number);
        to.bytes = bytes;
        to.posted.store(number + 1, std::memory_order_seq_cst);
        claim_line(&slot_of(number + 1)); // the reader has taken the line
    }

    // For the reader.
    [[nodiscard]] bool posted(std::uint64_t number) const noexcept {
        return slot_of(number).posted.load(std::memory_order_seq_cst) == number + 1;
    }
    /// What has been posted. @pre posted(number)
    [[nodiscard]] MPI_Count bytes(std::uint64_t number) const noexcept { return slot_of(number).bytes; }
    [[nodiscard]] const std::byte *data(std::uint64_t number) const noexcept { return slot_of(number).data; }
    /// The slot has been read. The writer is told at every fourth one: then it has room for several.
    void take(std::uint64_t number) noexcept {
        if ((number + 1) % telling == 0) {
            taken_.store(number + 1, std::memory_order_seq_cst);
        }
    }

  private:
    static constexpr std::uint64_t depth = 8;
    static constexpr std::uint64_t telling = 4;
    static_assert(telling <= depth); // else who waits for room might do so for ever

    struct alignas(line_of_cache) slot {
        /// The number of the scan plus one. Publishes the slot; sequentially consistent, as its load,
        /// because of the sleeping (shared_memory::nudge).
        std::atomic<std::uint64_t> posted{0};
        MPI_Count bytes;
        alignas(std::max_align_t) std::byte data[most];
    };
    [[nodiscard]] slot &slot_of(std::uint64_t number) noexcept { return slots_[number % depth]; }
    [[nodiscard]] const slot &slot_of(std::uint64_t number) const noexcept { return slots_[number % depth]; }

    std::uint64_t known_taken_ = 0; ///< what the writer knows of `taken_`
    /// How many slots have been read, and so may be written again; as `posted`.
    alignas(line_of_cache) std::atomic<std::uint64_t> taken_{0};
    std::array<slot, depth> slots_;
};

} // namespace lisle::collective
