// SPDX-License-Identifier: Apache-2.0
// A window as one rank holds it: its parts, and what users attach to it. Made by creation.hpp.
// See mpi/docs/design/windows.md.
#pragma once

#include <atomic>
#include <cstddef>

#include "communicator/attributes.hpp"
#include "communicator/errhandler.hpp"
#include "rma/exposure.hpp"
#include "rma/hints.hpp"
#include "rma/messages/window_messages.hpp"
#include "rma/state/epochs.hpp"
#include "rma/state/store_order.hpp"
#include "rma/state/window_members.hpp"
#include "rma/state/window_memory.hpp"
#include "rma/ways/ways.hpp"

namespace lisle::rma {

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

    window(communicator_ref comm, const member_table &table, const window_attributes &facts, held_memory held)
        : object{object_kind::window}, facts{facts}, held_{std::move(held)},
          members{std::move(comm), table, facts.flavor == MPI_WIN_FLAVOR_DYNAMIC},
          entry_{*this, members.home(), members.comm().context()} {}

    [[nodiscard]] communicator &comm() const noexcept { return members.comm(); }
    [[nodiscard]] int rank() const noexcept { return members.rank(); }
    [[nodiscard]] int size() const noexcept { return members.size(); }
    [[nodiscard]] protocol::engine &home() const noexcept { return members.home(); }
    [[nodiscard]] MPI_Win handle() noexcept { return handle_of<MPI_Win>(*this); }

    const window_attributes facts;
    errhandler_slot errors;
    attribute_set attributes;
    window_hints hints;

  private:
    const held_memory held_; ///< freed after all parts that use it

  public:
    window_members members;
    access_epoch access;
    exposure_epoch exposure;
    window_messages messages{members};
    window_ways ways{members, access, messages.origin};

    // The shortest ways, for calls that need nothing but one access.

    /// Finds where `bytes` at a displacement in a member's memory lie here, if the member may be accessed now
    /// and all is known already; false: go the general way. @param member any number @param bytes not 0
    [[nodiscard, gnu::always_inline]] bool reach_at_once(int member, MPI_Aint disp, std::size_t bytes,
                                                         std::byte *&found) const noexcept {
        return access.allows_at_once(member) && members.reach_at_once(member, disp, bytes, found);
    }
    /// The same for a word of so many bytes that the caller may change by an instruction of the processor.
    [[nodiscard, gnu::always_inline]] bool reach_word_at_once(int member, MPI_Aint disp, std::size_t bytes,
                                                              std::byte *&found) const noexcept {
        return reach_at_once(member, disp, bytes, found) &&
               (reinterpret_cast<std::uintptr_t>(found) & (bytes - 1)) == 0 &&
               !members.at(member).facts.copied;
    }
    /// MPI_Win_flush where there is nothing to wait for and it is not time to look around; false: nothing has
    /// happened, go the general way.
    [[nodiscard, gnu::always_inline]] bool flush_at_once(int member) noexcept {
        if (!access.is_passive_at_once(member) ||
            static_cast<unsigned>(member) >= static_cast<unsigned>(size()) || members.goes_by_requests())
            [[unlikely]] {
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
    /// True once in a while.
    [[nodiscard]] bool is_time_to_look_around() noexcept {
        // Not fetch_add: an increment that is lost between two threads of the rank does not matter.
        const unsigned calls = calls_.load(std::memory_order_relaxed);
        calls_.store(calls + 1, std::memory_order_relaxed);
        return is_time_to_look_around(calls);
    }

  private:
    /// @param calls that came before
    [[nodiscard]] static bool is_time_to_look_around(unsigned calls) noexcept {
        constexpr unsigned calls_between_looks = 64;
        return (calls + 1) % calls_between_looks == 0;
    }

    std::atomic<unsigned> calls_{0};
    const registered<window> entry_;
};

/// The window behind a handle, or null.
[[nodiscard]] inline window *find_window(MPI_Win handle) noexcept {
    return object_of<window>(handle);
}

} // namespace lisle::rma
