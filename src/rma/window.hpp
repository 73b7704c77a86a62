// SPDX-License-Identifier: Apache-2.0
// A window as one rank holds it: its communicator, the table of its members, and what users attach to it.
// Made by creation.hpp. How targets are reached, see docs/design/windows.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "communicator/attributes.hpp"
#include "communicator/communicator.hpp"
#include "communicator/errhandler.hpp"
#include "fabric/shared_memory.hpp"
#include "rma/attached_memory.hpp"
#include "rma/epochs.hpp"
#include "rma/exposure.hpp"
#include "rma/hints.hpp"
#include "rma/member.hpp"
#include "rma/messages/origin.hpp"
#include "rma/messages/target_side.hpp"
#include "rma/remote_copies.hpp"
#include "rma/store_order.hpp"

namespace lisle::rma {

/// The table of a window's members as one rank sees it.
struct member_table {
    member *members = nullptr;
    fabric::shared_memory *medium = nullptr; ///< in which it lies; null: no other rank sees it
    int process = 0;                         ///< index of the calling rank's process on the node
    int processes = 1;                       ///< of the node
};

/// What memory a window has made itself, to be freed after all have let go of it.
class window_memory {
  public:
    window_memory() = default;
    window_memory(window_memory &&other) noexcept;
    window_memory &operator=(window_memory &&other) noexcept;
    ~window_memory();

    /// Null: there is no room.
    /// @param heap where the other processes of the node reach it; null: anywhere
    [[nodiscard]] static window_memory allocate(shared_heap *heap, std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::byte *get() const noexcept { return memory_; }
    /// True if the node's other processes reach it by address.
    [[nodiscard]] bool open() const noexcept { return from_heap_; }

  private:
    std::byte *memory_ = nullptr;
    bool from_heap_ = false;
};

/// The values of the standard's attributes, at addresses that last as long as the window.
struct window_attributes {
    void *base = nullptr;
    MPI_Aint size = 0;
    int disp_unit = 1;
    int flavor = MPI_WIN_FLAVOR_CREATE;
    int model = MPI_WIN_UNIFIED;
};

/// See the file's head. Any thread of the rank may use one at any time.
class window : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::window;

    window(communicator_ref comm, const member_table &table, const window_attributes &facts);
    ~window();

    [[nodiscard]] communicator &comm() const noexcept { return *comm_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] protocol::engine &home() const noexcept { return *comm_->point_to_point.home; }
    /// The number in the job of a member.
    [[nodiscard]] int number_of(int member) const noexcept { return comm_->local_group().member(member); }

    [[nodiscard]] member &at(int rank) const noexcept { return table_.members[rank]; }
    /// True if the member's row is the one that the member itself uses.
    [[nodiscard]] bool is_near(int rank) const noexcept { return at(rank).facts.process >= 0; }
    [[nodiscard]] const member_table &table() const noexcept { return table_; }
    [[nodiscard]] bool dynamic() const noexcept { return facts.flavor == MPI_WIN_FLAVOR_DYNAMIC; }

    /// Where `bytes` at an address of a member lie here; null: this rank has no address for them. The address
    /// is one of the process in which the member's memory is. @pre they are within the member's memory
    [[nodiscard]] std::byte *reach(int rank, std::uint64_t address, std::size_t bytes) const noexcept {
        const member_facts &of = at(rank).facts;
        if (of.process == table_.process) [[likely]] {
            return reinterpret_cast<std::byte *>(address);
        }
        return reach_further(of, address, bytes);
    }

    /// Finds where `bytes` at a displacement in a member's memory lie here, if the member may be accessed now
    /// and all is known already; false: go the general way. @param member any number @param bytes not 0
    [[nodiscard, gnu::always_inline]] bool reach_at_once(int member, MPI_Aint disp, std::size_t bytes,
                                                         std::byte *&found) const noexcept {
        if (!access.allows_at_once(member) || static_cast<unsigned>(member) >= static_cast<unsigned>(size_)) {
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
    /// The same for a word of so many bytes that the caller may change by an instruction of the processor.
    [[nodiscard, gnu::always_inline]] bool reach_word_at_once(int member, MPI_Aint disp, std::size_t bytes,
                                                              std::byte *&found) const noexcept {
        return reach_at_once(member, disp, bytes, found) &&
               (reinterpret_cast<std::uintptr_t>(found) & (bytes - 1)) == 0 && !at(member).facts.copied;
    }

    /// MPI_Win_flush where there is nothing to wait for and it is not time to look around; false: nothing has
    /// happened, go the general way.
    [[nodiscard, gnu::always_inline]] bool flush_at_once(int member) noexcept {
        if (!access.is_passive_at_once(member) ||
            static_cast<unsigned>(member) >= static_cast<unsigned>(size_) ||
            goes_by_requests_.load(std::memory_order_relaxed)) [[unlikely]] {
            return false;
        }
        const unsigned calls = calls_.load(std::memory_order_relaxed);
        if (is_time_to_look_around(calls)) [[unlikely]] {
            return false;
        }
        calls_.store(calls + 1, std::memory_order_relaxed);
        store_order::flush();
        return true;
    }
    /// Called before the first operation that others take part in, for which flushes wait from then on.
    void note_requests() noexcept { goes_by_requests_.store(true, std::memory_order_relaxed); }

    const window_attributes facts;
    errhandler_slot errors;
    attribute_set attributes;
    window_hints hints;
    access_epoch access;
    exposure_epoch exposure;
    attached_memory attached; ///< of a dynamic window
    message_origin origin{*this};
    remote_copies copies{*this};
    message_target target{*this};

    /// True once in a while.
    [[nodiscard]] bool is_time_to_look_around() noexcept {
        // Not fetch_add: an increment that is lost between two threads of the rank does not matter.
        const unsigned calls = calls_.load(std::memory_order_relaxed);
        calls_.store(calls + 1, std::memory_order_relaxed);
        return is_time_to_look_around(calls);
    }

    /// A member has failed. With the lock of `home` held.
    void peer_failed_locked(protocol::engine &home, int member);
    [[nodiscard]] bool any_failed() const noexcept { return any_failed_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool has_failed(int member) const;

    // Memory to be freed with the window, by the rank that made it.
    window_memory table_memory, own_memory;
    exposed_memory exposed;
    std::uint64_t block_key = 0; ///< of a table in a block of the medium; 0: it is not
    int block_sharers = 0;

    [[nodiscard]] std::string name() const;
    void set_name(std::string name);
    [[nodiscard]] MPI_Win handle() noexcept { return handle_of<MPI_Win>(*this); }

  private:
    [[nodiscard]] std::byte *reach_further(const member_facts &of, std::uint64_t address,
                                           std::size_t bytes) const noexcept;

    /// @param calls that came before
    [[nodiscard]] static bool is_time_to_look_around(unsigned calls) noexcept {
        constexpr unsigned calls_between_looks = 64;
        return (calls + 1) % calls_between_looks == 0;
    }

    std::atomic<unsigned> calls_{0};
    /// Relaxed: a thread only has to see what calls before its own have noted.
    std::atomic<bool> goes_by_requests_{false};
    communicator_ref comm_;
    const int rank_;
    const int size_;
    const member_table table_;
    /// By process of the node: what to add to an address in its shared heap; `unknown` at first. Released by
    /// the thread that has mapped that heap or seen its mapping, and acquired by those that access it.
    static constexpr std::intptr_t unknown = 1;
    std::unique_ptr<std::atomic<std::intptr_t>[]> distances_;
    mutable std::mutex name_mutex_; ///< protects name_ and failed_
    std::string name_;
    std::vector<int> failed_;             ///< members
    std::atomic<bool> any_failed_{false}; ///< a hint: who waits looks again and again
};

/// The window behind a handle, or null.
[[nodiscard]] inline window *find_window(MPI_Win handle) noexcept {
    return object_of<window>(handle);
}

/// Returns when all members have called it: MPI_Barrier on the window's communicator.
void meet(communicator &members);

} // namespace lisle::rma
