// SPDX-License-Identifier: Apache-2.0
// Tells ThreadSanitizer which orders the calls of a window make (base/thread_order.hpp): an exclusive lock
// comes after all that had the target's lock before, a shared one after exclusive ones; a start after the
// posts, a wait after the completes; an update of a target that brings something after all updates of that
// target. What a put or a get does to memory is not looked at, so no order is told of it but to a target that
// looks itself (MPI_Win_sync). Fences are collectives.
#pragma once

#include <vector>

#include "base/thread_order.hpp"
#include "rma/state/lock_word.hpp"
#include "rma/state/window_members.hpp"

namespace lisle::rma {

/// Nothing, all of its functions, unless orders are told.
class window_orders {
  public:
    explicit window_orders(const window_members &members) noexcept : members_{members} {}

    /// @param target all: -1
    void locked(int target, lock_word::kind kind) const {
        each(target, [&](int one) {
            at(part::exclusive, one).acquire();
            if (kind == lock_word::kind::exclusive) {
                at(part::shared, one).acquire();
            }
        });
    }
    void unlocks(int target, lock_word::kind kind) const {
        each(target, [&](int one) {
            at(kind == lock_word::kind::exclusive ? part::exclusive : part::shared, one).release();
        });
    }
    void posts(const std::vector<int> &origins) const { release(part::posted, origins); }
    void started() const { acquire_own(part::posted); }
    void completes(const std::vector<int> &targets) const { release(part::completed, targets); }
    void waited() const { acquire_own(part::completed); }

    /// The rank is about to update a target's memory atomically, or (of an update that brings something) has.
    void updates(int target) const {
        each(target, [&](int one) { at(part::updated, one).release(); });
    }
    void updated(int target) const {
        each(target, [&](int one) { at(part::updated, one).acquire(); });
    }
    void puts(int target) const {
        each(target, [&](int one) { at(part::put, one).release(); });
    }
    /// The rank is going to look at its own memory.
    void looks() const {
        acquire_own(part::updated);
        acquire_own(part::put);
    }

  private:
    enum class part : std::uint8_t { exclusive, shared, posted, completed, updated, put };

    [[nodiscard]] thread_order::place at(part which, int rank) const noexcept {
        return thread_order::place{thread_order::maker::window, members_.comm().context(),
                                   static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(which)};
    }
    template <class Function> void each(int target, const Function &function) const {
        if (thread_order::told()) [[unlikely]] {
            call_for(target, function);
        }
    }
    template <class Function> void call_for(int target, const Function &function) const {
        const bool all = target < 0;
        for (int one = all ? 0 : target; one < (all ? members_.size() : target + 1); ++one) {
            function(one);
        }
    }
    void release(part which, const std::vector<int> &ranks) const {
        for (const int rank : ranks) {
            each(rank, [&](int one) { at(which, one).release(); });
        }
    }
    void acquire_own(part which) const {
        each(members_.rank(), [&](int own) { at(which, own).acquire(); });
    }

    const window_members &members_;
};

} // namespace lisle::rma
