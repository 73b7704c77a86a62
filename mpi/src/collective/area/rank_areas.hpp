// SPDX-License-Identifier: Apache-2.0
// How the memory of a collective area is laid out: for each member a rank area, which it alone writes, with a
// ring of slots, one for each operation under way, a ring of small slots, and the number of operations that
// it has finished. Before them lies how many members wait for others to finish.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/area/descriptor.hpp"
#include "mpi.h"

namespace lisle::collective {

/// Where the posts of an operation lie: in slots, and if they are long in pages, or in small slots.
enum class post_place : unsigned char { slot, page, small_slot };

/// A view of that memory: who has a copy sees the same.
class rank_areas {
  public:
    /// What fits into a slot.
    static constexpr MPI_Count most_in_slot = 248;
    static constexpr MPI_Count most_in_small_slot = 8;
    /// How many operations have a place of each kind.
    static constexpr unsigned depth = 8, page_depth = 4, small_depth = 32;
    [[nodiscard]] static constexpr unsigned depth_of(post_place at) noexcept {
        return at == post_place::small_slot ? small_depth : at == post_place::page ? page_depth : depth;
    }

    struct alignas(64) slot {
        /// Number of the operation plus one, and below that the bytes that lie here. The store publishes
        /// them and pairs with the load in posts::has(). That is sequentially consistent, and a fence follows
        /// the store, because of the sleeping (shared_memory::nudge).
        std::atomic<std::uint64_t> posted;
        std::byte bytes[most_in_slot];
    };
    /// The same, four to a line.
    struct small_slot {
        std::atomic<std::uint64_t> posted;
        std::byte bytes[most_in_small_slot];
    };
    struct alignas(64) rank_area {
        /// How many operations the member has finished; pairs as `posted`: its reads of others' slots and
        /// buffers came before.
        std::atomic<std::uint64_t> finished;
        slot slots[depth];
        alignas(64) small_slot small_slots[small_depth];
    };
    static_assert(sizeof(slot) == 256 && sizeof(buffer_descriptor) <= most_in_slot);

    struct alignas(64) head {
        /// Members that wait for room. Sequentially consistent: one counts itself before it looks who has
        /// finished, and who finishes looks at this after it has said so.
        std::atomic<std::uint32_t> waiting_for_room;
    };

    /// @param memory of bytes(members), zero before its first use, common to all members
    explicit rank_areas(std::byte *memory) noexcept
        : head_{reinterpret_cast<head *>(memory)}, areas_{reinterpret_cast<rank_area *>(head_ + 1)} {}
    [[nodiscard]] static std::size_t bytes(int members) noexcept {
        return sizeof(head) + static_cast<std::size_t>(members) * sizeof(rank_area);
    }

    [[nodiscard]] std::atomic<std::uint32_t> &waiting_for_room() const noexcept {
        return head_->waiting_for_room;
    }

    [[nodiscard]] std::atomic<std::uint64_t> &finished_by(int member) const noexcept {
        return areas_[member].finished;
    }
    [[nodiscard]] slot &slot_of(int member, std::uint64_t number) const noexcept {
        return areas_[member].slots[number % depth];
    }
    [[nodiscard]] small_slot &small_slot_of(int member, std::uint64_t number) const noexcept {
        return areas_[member].small_slots[number % small_depth];
    }

  private:
    head *head_;
    rank_area *areas_;
};

} // namespace lisle::collective
