// SPDX-License-Identifier: Apache-2.0
// The order of the operations in a collective area, as the calling rank sees it: which one has its turn, and
// which ones all members have finished, whose places may be written again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "base/caches.hpp"
#include "collective/area/members.hpp"
#include "collective/area/rank_areas.hpp"

namespace lisle::collective {

class turns {
  public:
    turns(rank_areas areas, const area_members &members) : areas_{areas}, members_{members} {}

    /// A number for the next operation of the calling rank, the first of `phases` in a row.
    [[nodiscard]] std::uint64_t begin(unsigned phases = 1) noexcept {
        // One thread at a time begins operations of a communicator. A report of a wait may read the number
        // meanwhile: nothing is ordered by it.
        next_.store(next() + phases, std::memory_order_relaxed);
        return next() - phases;
    }
    /// The operation that was begun last, of so many phases, is given up before it has entered.
    void give_up(unsigned phases) noexcept { next_.store(next() - phases, std::memory_order_relaxed); }
    /// What begin() will return.
    [[nodiscard]] std::uint64_t next() const noexcept { return next_.load(std::memory_order_relaxed); }
    /// True when operation `number` has its turn: all before are finished here.
    [[nodiscard]] bool come(std::uint64_t number) const noexcept {
        return turn_.load(std::memory_order_acquire) == number;
    }
    /// True when its place is free: what a rank that posts something waits for besides. @pre come(number)
    [[nodiscard]] bool has_room(std::uint64_t number, post_place at) noexcept {
        return number < all_finished_ + rank_areas::depth_of(at) || find_room(number, at);
    }
    /// A member has, or all have, posted and so finished what came before.
    void note_posted(std::uint64_t number, int peer) noexcept {
        if (finished_by_ != nullptr || make_finished_by()) [[likely]] {
            finished_by_[static_cast<std::size_t>(peer)] = number;
        }
    }
    void note_all_posted(std::uint64_t number) noexcept { all_finished_ = std::max(all_finished_, number); }

    /// The calling rank needs nothing of the others any more for this operation.
    /// @param awaited somebody may wait for just that
    void finish(std::uint64_t number, post_place at, bool awaited) noexcept {
        // Who wants to enter waits for free slots, several operations later. It is enough to tell now and
        // then, and better: who is far ahead then gets several slots at once, and can ask for their lines
        // early. All do so after the same operations: who looks then learns much at once.
        const std::uint64_t until_due = ~number % (at == post_place::small_slot ? telling_in_small : telling);
        // Pages are few: who is ahead soon waits for one.
        if (awaited || at == post_place::page || until_due == 0) {
            tell(number + 1, awaited);
        } else if (until_due == 1) {
            claim_line(&areas_.finished_by(members_.self()));
        }
        turn_.store(number + 1, std::memory_order_release);
    }
    /// For an operation whose place is no small slot: others may wait for the rank to finish what came long
    /// before, which it has, but has not told. @pre come(number)
    void tell_what_is_due(std::uint64_t number) noexcept {
        if (told_ + telling <= number) [[unlikely]] {
            tell(number, false);
        }
    }
    [[nodiscard]] bool finished(std::uint64_t number, int peer) const noexcept {
        return areas_.finished_by(peer).load(std::memory_order_seq_cst) > number;
    }

  private:
    struct freed {
        void operator()(void *memory) const noexcept { std::free(memory); }
    };

    /// How often a member tells the others how many operations it has finished, if it need not.
    static constexpr unsigned telling = 4;
    static constexpr unsigned telling_in_small = 16;
    // A member that waits for room would otherwise never be told that there is some.
    static_assert(telling <= rank_areas::page_depth && telling <= rank_areas::depth &&
                  telling_in_small <= rank_areas::small_depth);

    /// Looks for room, and lets the others know that the rank waits if there is none.
    [[nodiscard]] bool find_room(std::uint64_t number, post_place at) noexcept;
    /// False: there is no memory for it, and so nothing to be remembered.
    [[gnu::cold, gnu::noinline]] bool make_finished_by() noexcept;
    /// True if every other member has finished so many operations: asked of each, without a memory.
    [[nodiscard]] bool have_all_finished(std::uint64_t least) const noexcept;
    [[nodiscard]] bool look_who_finished(std::uint64_t number, post_place at) noexcept;
    /// @param awaited somebody may wait for it, not only for room
    void tell(std::uint64_t finished, bool awaited) noexcept;

    rank_areas areas_;
    const area_members &members_;
    // The calling rank's own view; the user orders the collectives of a communicator.
    std::atomic<std::uint64_t> next_{0}; ///< see begin()
    std::atomic<std::uint64_t> turn_{0}; ///< all operations before this one are finished here; as next_
    std::uint64_t told_ = 0;             ///< so many operations are finished here, as others know
    std::uint64_t all_finished_ = 0;     ///< so many operations are known to be finished by all members
    bool waits_ = false;                 ///< for room, as the area says
    int late_ = 0;                       ///< member that was the last to be waited for
    /// And by each, which may be more or less. Made when it is first used: each of many ranks has a number
    /// for each of them.
    std::unique_ptr<std::uint64_t[], freed> finished_by_;
};

} // namespace lisle::collective
