// SPDX-License-Identifier: Apache-2.0
// The members of a collective area as the calling rank reaches them: their memory, and their sleep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fabric/shared_memory.hpp"
#include "mpi.h"
#include "world/group.hpp"

namespace lisle::collective {

/// Who may wait for a post: one member, those of [first, last), or all.
struct readers {
    /// Instead of one member.
    static constexpr int everyone = -1;

    constexpr readers(int member) noexcept : first{member}, last{member == everyone ? 1 : 0} {}
    constexpr readers(int from, int to) noexcept : first{from}, last{to} {}

    int first;
    int last; ///< 0: the first alone
};

class area_members {
  public:
    static constexpr int everyone = readers::everyone;

    /// @param members outlive this, as their fabric does @param self the calling rank among them
    area_members(fabric::shared_memory &medium, const group &members, int self, bool one_process) noexcept
        : medium_{medium}, members_{members}, self_{self}, one_process_{one_process} {}

    [[nodiscard]] int count() const noexcept { return members_.size(); }
    [[nodiscard]] int self() const noexcept { return self_; }
    /// True if they can read each other's buffers by their addresses.
    [[nodiscard]] bool one_process() const noexcept { return one_process_; }
    /// True if they can use each other's buffers at all.
    [[nodiscard]] bool memory_open() noexcept {
        if (!memory_open_) {
            memory_open_ = one_process_ || medium_.memory_open(members_.member(self_ == 0 ? 1 : 0));
        }
        return *memory_open_;
    }
    /// Copies between the memory of a member of another process and one's own. False: not possible.
    [[nodiscard]] bool read(int peer, const void *from, void *to, MPI_Count bytes) const noexcept {
        const iovec run{to, static_cast<std::size_t>(bytes)};
        return medium_.read(members_.member(peer), reinterpret_cast<std::uintptr_t>(from), {&run, 1});
    }
    [[nodiscard]] bool write(int peer, void *to, const void *from, MPI_Count bytes) const noexcept {
        const iovec run{const_cast<void *>(from), static_cast<std::size_t>(bytes)};
        return medium_.write(members_.member(peer), reinterpret_cast<std::uintptr_t>(to), {&run, 1});
    }
    /// A member's memory where it lies, if that can be reached by address; else it can be read and written at
    /// best.
    [[nodiscard]] fabric::pinned_memory pin(int peer, const void *from, MPI_Count bytes) const noexcept {
        return medium_.pin(members_.member(peer), reinterpret_cast<std::uintptr_t>(from),
                           static_cast<std::size_t>(bytes));
    }

    /// Wakes those that sleep until something is written that they look at.
    void wake(readers who) const noexcept {
        if (who.last == 0) {
            medium_.nudge(members_.member(who.first));
        } else if (medium_.anyone_watches()) [[unlikely]] {
            who.first == everyone ? wake_range(0, members_.size()) : wake_range(who.first, who.last);
        }
    }
    void wake_all() const noexcept { wake(everyone); }

  private:
    void wake_range(int first, int last) const noexcept {
        for (int member = first; member < last; ++member) {
            if (member != self_) {
                medium_.nudge(members_.member(member));
            }
        }
    }

    fabric::shared_memory &medium_;
    const group &members_;
    int self_;
    bool one_process_;
    std::optional<bool> memory_open_;
};

} // namespace lisle::collective
