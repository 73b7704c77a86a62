// SPDX-License-Identifier: Apache-2.0
// What LISLE_CHECK=1 adds to windows: each rank keeps what it accesses, and the ranks tell each other at the
// fence that ends the epoch, or of other epochs when the window is freed. Races among them (finding.hpp) are
// named on standard error; the program goes on. Accesses of many pieces are not kept, and of many accesses
// only some thousands: then a race may stay unnamed.
//
// In epochs of locks and of MPI_Win_start, messages and atomics may order what two ranks do. Nobody follows
// messages: each rank notes when it was last in a call in which it may have heard from others, and when it
// first is in one, after an access is complete, in which it may tell them. Two accesses that overlap in these
// terms cannot be in order.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "rma/elements/target_data.hpp"
#include "rma/races/access.hpp"

namespace lisle {
class rank;
}

namespace lisle::rma {

class window_members;

/// Thread-safe, all of them. Nothing is done unless LISLE_CHECK is set. The calling rank is the window's.
class race_watch {
  public:
    [[nodiscard]] static bool watched() noexcept;
    [[nodiscard]] static moment now() noexcept;

    static void window_made(const window_members &members);
    /// Names what is left. Collective over the window's ranks.
    static void window_ends(const window_members &members);

    // ---- epochs ----

    /// @param goes_on an epoch of fences begins
    static void fenced(const window_members &members, bool goes_on);
    /// Names the races since the last fence. Collective over the window's ranks.
    static void fence_ends(const window_members &members);
    /// The rank has got the lock of the target, or of all: -1.
    static void locked(const window_members &members, int target, epoch_kind kind);
    /// The rank is about to complete what it has accessed there and to give the lock back.
    static void unlocks(const window_members &members, int target);
    /// The rank has been let in by targets. @param posted when each of them has posted
    static void started(const window_members &members, const std::vector<int> &targets,
                        const std::vector<moment> &posted);
    /// The rank says that it has accessed all it wants, before it tells the targets.
    static void completes(const window_members &members);
    /// The rank has exposed its own part; 0: it does so no longer.
    static void exposed(const window_members &members, moment posted);
    /// Memory of the rank belongs to a dynamic window, or no longer.
    static void attached(const window_members &members, const void *base, std::size_t bytes);
    static void detached(const window_members &members, const void *base);
    /// Accesses to the target, or to all: -1, are complete.
    /// @param results_only those that bring something, only
    static void flushed(const window_members &members, int target, bool results_only);

    // ---- accesses ----

    /// What an access that is about to begin has behind it.
    struct call {
        moment heard;
        moment called;
    };
    /// @param brings something that others may have written for this rank to see
    [[nodiscard]] static call begin_access(const window_members &members, access_kind what, bool brings);
    struct noted_access {
        const target_data &target;
        MPI_Count bytes; ///< of the target's data, from the first on
        access_kind what;
        bool ends_with_request;          ///< a wait for its request completes it
        operation_name same_operation{}; ///< access_record::same_operation
    };
    static void note(const window_members &members, const call &begun, const noted_access &made,
                     const access_site &site);
    /// The fence that the rank has just been in says that nobody puts to its part until the next one.
    static void forbids_puts(const window_members &members, const access_site &site);
    /// An access of a rank to its own memory.
    struct own_access {
        const volatile void *address;
        std::size_t bytes;
        access_kind what; ///< a load or store
        const void *code; ///< where that is
        /// Writes that place; empty: name_code does.
        std::function<access_site()> name{};
        /// It counts although it comes before the rank's first epoch and communication.
        bool may_be_first = true;
    };
    /// Keeps it if windows have the memory. @return one has
    static bool note_local(rank &self, const own_access &made);

    // ---- what upper layers know; set while the library is loaded ----

    /// Writes where a load or store is.
    using code_namer = access_site (*)(const void *code, access_kind what);
    static inline constinit code_namer name_code = [](const void *, access_kind) { return access_site{}; };
    /// Told that operations of the calling rank need the program's buffers no longer: those on a target of a
    /// window or on all (-1), or (null) those that have requests.
    using origins_watch = void (*)(const window_members *members, int target);
    static inline constinit origins_watch origins_end = [](const window_members *, int) {};
};

/// What a rank may have heard when a call returns.
enum class hearing : std::uint8_t {
    anything,
    entries, ///< what other ranks knew when they entered the same collective
    nothing, ///< the call only begins something
};

/// While it exists, the calling rank is in a call by which it may tell others of what it has done, and in
/// which it may hear of what they have. Around every such call but the accesses and what follows them above.
class call_among_ranks {
  public:
    explicit call_among_ranks(hearing what) noexcept : what_{what} {
        if (watched()) [[unlikely]] {
            begin();
        }
    }
    ~call_among_ranks() {
        if (watched()) [[unlikely]] {
            end(what_);
        }
    }
    call_among_ranks(const call_among_ranks &) = delete;
    call_among_ranks &operator=(const call_among_ranks &) = delete;

    /// Makes such a call. Where nothing is watched no object has to be destroyed if the call throws.
    template <class Call> [[gnu::always_inline]] static void make(hearing what, const Call &call) {
        watched() ? make_watched(what, call) : make_unwatched(what, call);
    }
    /// The same for a call that orders what ranks do. @param order makes the call that it is given, and tells
    /// that (abi/told_orders.hpp); asked only where any call is watched
    template <class Call, class Order>
    [[gnu::always_inline]] static void make(hearing what, const Call &call, const Order &order) {
        watched() ? make_watched(what, [&] { order(call); }) : make_unwatched(what, call);
    }

    /// Told of each such call, before and after it, while any is watched. Set while the library is loaded, by
    /// a layer that looks at threads.
    using call_observer = void (*)(bool begins) noexcept;
    static inline constinit call_observer observe = [](bool) noexcept {};
    /// From now on all such calls of the process are watched, also where there is no window.
    static void watch_all() noexcept { windows_watched.fetch_add(1, std::memory_order_relaxed); }

  private:
    friend race_watch;
    /// Of the process, and how often watch_all() was called. Relaxed: a rank sees those of its own.
    static inline std::atomic<int> windows_watched{0};
    [[nodiscard]] static bool watched() noexcept {
        return windows_watched.load(std::memory_order_relaxed) != 0;
    }
    template <class Call> static void make_watched(hearing what, const Call &call) {
        const call_among_ranks among_ranks{what};
        call();
    }
    template <class Call> [[gnu::always_inline]] static void make_unwatched(hearing what, const Call &call) {
        call();
        if (watched()) [[unlikely]] { // another thread of the rank has made a window during the call
            end(what);
        }
    }
    static void begin() noexcept;
    static void end(hearing what) noexcept;

    hearing what_;
};

} // namespace lisle::rma
