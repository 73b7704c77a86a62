// SPDX-License-Identifier: Apache-2.0
// Which synchronisation a rank is in with a window: which targets it may access now (the access epoch), and
// whether it has exposed its own memory with MPI_Win_post. Violations that the rank can see by itself throw
// MPI_ERR_RMA_SYNC. [MPI-5.0 12.5]
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <vector>

#include "base/spin_lock.hpp"
#include "rma/state/lock_word.hpp"

namespace lisle::rma {

/// What one rank has locked.
struct held_lock {
    int target;
    lock_word::kind kind;
    bool taken; ///< false: MPI_MODE_NOCHECK, there is nothing to give back
};

/// The access epoch of one rank. Any thread of the rank may ask and change it.
class access_epoch {
  public:
    /// True if the target may be accessed now.
    [[nodiscard]] bool allows(int target) noexcept {
        // Relaxed: threads of a rank order their calls themselves.
        const int open = open_.load(std::memory_order_relaxed);
        return open == target || open == everyone || allows_further(target);
    }
    /// The same, or false where allows() would have to look further.
    [[nodiscard]] bool allows_at_once(int target) const noexcept {
        const int open = open_.load(std::memory_order_relaxed);
        return open == target || open == everyone;
    }
    /// True if only this rank may access the target: it holds the exclusive lock.
    [[nodiscard]] bool excludes_others(int target) const noexcept {
        return excluded_.load(std::memory_order_relaxed) == target;
    }

    /// MPI_Win_fence. @param goes_on false: MPI_MODE_NOSUCCEED
    void check_fence();
    void fence(bool goes_on);
    /// MPI_Win_start, in two steps: the rank waits between them.
    void check_start();
    void start(std::vector<int> targets);
    /// MPI_Win_complete; returns the targets.
    [[nodiscard]] std::vector<int> complete();
    /// MPI_Win_lock, in two steps as start(). @return for lock(), which then needs no memory: nobody else
    /// gets a lock that was taken and is not known here
    [[nodiscard]] std::list<held_lock> expect_lock(const held_lock &wanted);
    void lock(std::list<held_lock> &&expected) noexcept;
    /// MPI_Win_unlock: the lock that is given up; it is forgotten with forget().
    [[nodiscard]] held_lock locked(int target);
    void forget(int target);
    void check_lock_all();
    /// @param taken the locks of all targets were taken
    void lock_all(bool taken);
    /// True if the locks of all targets are to be given back.
    [[nodiscard]] bool unlock_all();
    /// For MPI_Win_flush: a passive epoch with this target, or with all (-1) or any.
    void check_passive(int target) {
        if (!is_passive_at_once(target)) [[unlikely]] {
            check_passive_further(target);
        }
    }
    /// True if the target is in a passive epoch, as far as can be said without looking further.
    [[nodiscard]] bool is_passive_at_once(int target) const noexcept {
        const int open = passive_.load(std::memory_order_relaxed);
        return open == target || open == everyone;
    }
    /// The rank leaves MPI: whatever epoch is open, nothing is accessed any more.
    void end();
    /// True if targets have been accessed since the last fence, outside of other epochs.
    [[nodiscard]] bool has_used_fence() const;
    /// MPI_Win_free. Throws unless no epoch but that of fences is open.
    void check_over();

  private:
    enum class kind : std::uint8_t { none, fences, started, locks, lock_all };
    // Values of open_ besides targets, which no caller uses for anything else.
    static constexpr int nobody = -1001;
    static constexpr int everyone = -1002;
    static constexpr int listed = -1003; ///< see started_ and held_
    static constexpr int fenced = -1004; ///< everyone, but nobody has been accessed since the fence

    [[nodiscard]] bool allows_further(int target) noexcept;
    /// What becomes of open_: where accesses are noted or their orders told, none goes the way that only
    /// looks whether all is open.
    [[nodiscard]] static int shown(int open) noexcept;
    void check_passive_further(int target);
    /// Throws if an epoch is open that must be closed first.
    void check_none_locked(const char *call) const;
    [[nodiscard]] bool has_used_fence_locked() const noexcept;
    /// Throws if the epoch between two fences has accessed targets.
    void check_unused_fence_locked(const char *call) const;
    void show_locks_locked() noexcept;
    /// Opens a passive epoch for others to see, or closes it: nobody.
    void show_passive(int open) noexcept;

    std::atomic<int> open_{nobody};
    std::atomic<int> excluded_{nobody};
    std::atomic<int> passive_{nobody}; ///< what open_ holds where targets are locked, else nobody
    mutable spin_lock mutex_;          ///< protects all below
    kind now_ = kind::none;
    bool all_taken_ = false;
    std::vector<int> started_; ///< sorted
    std::list<held_lock> held_;
};

} // namespace lisle::rma
