// SPDX-License-Identifier: Apache-2.0
// The members of a window as one of them sees them: the communicator that they have, the table of what each
// has told, and where the memory of those on the node lies. All other parts of a window stand on this.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "communicator/communicator.hpp"
#include "fabric/shared_memory.hpp"
#include "rma/state/attached_memory.hpp"
#include "rma/state/failed_members.hpp"
#include "rma/state/member.hpp"
#include "rma/state/registered.hpp"
#include "rma/state/window_name.hpp"

namespace lisle::rma {

/// The table of a window's members as one rank sees it.
struct member_table {
    member *members = nullptr;
    fabric::shared_memory *medium = nullptr; ///< in which it lies; null: no other rank sees it
    int process = 0;                         ///< index of the calling rank's process on the node
    int processes = 1;                       ///< of the node
};

/// See the file's head. Any thread of the rank may use it at any time.
class window_members {
  public:
    /// @param dynamic the memory is what the members attach
    window_members(communicator_ref comm, const member_table &table, bool dynamic);

    [[nodiscard]] communicator &comm() const noexcept { return *comm_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] protocol::engine &home() const noexcept { return *comm_->point_to_point.home; }
    /// The number in the job of a member.
    [[nodiscard]] int number_of(int member) const noexcept { return comm_->local_group().member(member); }
    [[nodiscard]] bool dynamic() const noexcept { return dynamic_; }

    [[nodiscard]] member &at(int rank) const noexcept { return table_.members[rank]; }
    [[nodiscard]] member &own() const noexcept { return at(rank_); }
    /// True if the member's row is the one that the member itself uses.
    [[nodiscard]] bool is_near(int rank) const noexcept { return at(rank).facts.process >= 0; }
    [[nodiscard]] const member_table &table() const noexcept { return table_; }

    /// Where `bytes` at an address of a member lie here; null: this rank has no address for them. The address
    /// is one of the process in which the member's memory is. @pre they are within the member's memory
    [[nodiscard]] std::byte *reach(int rank, std::uint64_t address, std::size_t bytes) const noexcept {
        const member_facts &of = at(rank).facts;
        if (of.process == table_.process) [[likely]] {
            return reinterpret_cast<std::byte *>(address);
        }
        return reach_further(of, address, bytes);
    }
    /// Finds where `bytes` at a displacement in a member's memory lie here if all is known already; false: go
    /// the general way. @param member any number @param bytes not 0
    [[nodiscard, gnu::always_inline]] bool reach_at_once(int member, MPI_Aint disp, std::size_t bytes,
                                                         std::byte *&found) const noexcept {
        if (static_cast<unsigned>(member) >= static_cast<unsigned>(size_)) {
            return false;
        }
        const member_facts &of = at(member).facts;
        std::int64_t offset = 0;
        // A dynamic window has no size, so each displacement is outside.
        if (__builtin_mul_overflow(std::int64_t{disp}, of.unit, &offset) || offset < 0 ||
            static_cast<std::uint64_t>(offset) + bytes > of.size) {
            return false;
        }
        const auto address = static_cast<std::intptr_t>(of.base) + offset;
        if (of.process == table_.process) [[likely]] {
            found = reinterpret_cast<std::byte *>(address);
            return true;
        }
        if (of.process < 0 || !of.open) {
            return false;
        }
        const std::intptr_t distance =
            distances_[static_cast<std::size_t>(of.process)].load(std::memory_order_acquire);
        found = reinterpret_cast<std::byte *>(address + distance);
        return distance != unknown;
    }

    /// Called before the first operation that others take part in, for which flushes wait from then on.
    void note_requests() noexcept { goes_by_requests_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool goes_by_requests() const noexcept {
        return goes_by_requests_.load(std::memory_order_relaxed);
    }

    attached_memory attached; ///< by the calling rank to a dynamic window
    failed_members failed;
    window_name name;

  private:
    [[nodiscard]] std::byte *reach_further(const member_facts &of, std::uint64_t address,
                                           std::size_t bytes) const noexcept;
    [[nodiscard]] static std::unique_ptr<std::atomic<std::intptr_t>[]> unknown_distances(int processes);

    communicator_ref comm_;
    const int rank_;
    const int size_;
    const bool dynamic_;
    /// Relaxed: a thread only has to see what calls before its own have noted.
    std::atomic<bool> goes_by_requests_{false};
    const member_table table_;
    /// By process of the node: what to add to an address in its shared heap; `unknown` at first. Released by
    /// the thread that has mapped that heap or seen its mapping, and acquired by those that access it.
    static constexpr std::intptr_t unknown = 1;
    const std::unique_ptr<std::atomic<std::intptr_t>[]> distances_;
    const registered<window_members> entry_;
};

} // namespace lisle::rma
