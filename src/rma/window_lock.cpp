// SPDX-License-Identifier: Apache-2.0
#include "rma/window_lock.hpp"

#include "base/error.hpp"
#include "collective/wait_for.hpp"
#include "protocol/engine.hpp"

namespace lisle::rma {

namespace {

using kind = lock_word::kind;

/// Wakes those that wait for a lock that has become free, a writer by turns. Returns true if one of them, a
/// rank other than the target, is certain to try.
[[gnu::cold, gnu::noinline]] bool wake_waiters(window &on, int target, lock_word::wake whom) {
    fabric::shared_memory *const medium = on.table().medium;
    if (medium == nullptr) {
        return false;
    }
    const kind waiting = whom == lock_word::wake::readers ? kind::shared : kind::exclusive;
    std::atomic<std::int32_t> &last_woken = on.at(target).last_woken;
    const int last = last_woken.load(std::memory_order_relaxed);
    bool certain = false;
    for (int i = 1; i <= on.size(); ++i) {
        const int rank = (last + i) % on.size();
        if (!on.is_near(rank)) {
            continue;
        }
        const awaited_lock::match found = on.at(rank).awaits.compare(target, waiting);
        if (found == awaited_lock::match::none) {
            continue;
        }
        medium->nudge(on.number_of(rank));
        // A rank that waits for several locks may not wait for this one, and the target may wait for ranks of
        // other nodes, and compute meanwhile: then another rank has to be woken, too.
        if (found == awaited_lock::match::certain && rank != target) {
            certain = true;
            if (whom == lock_word::wake::one_writer) {
                last_woken.store(rank, std::memory_order_relaxed);
                break;
            }
        }
    }
    return certain;
}

/// The failed rank whose lock is never given back to the caller; -1: there is none. A reader that waits
/// because writers wait gets the lock when those give up: only a writer that has failed keeps it out.
int hopeless_because_of(const window &on, int target, kind wanted) {
    const bool kept_out = wanted == kind::exclusive || on.at(target).lock.held_exclusively();
    return kept_out ? lock_breaker(on, target) : -1;
}

[[gnu::cold, gnu::noinline]] void wait_for_lock(window &on, int target, kind wanted) {
    member &own = on.at(on.rank());
    lock_word &lock = on.at(target).lock;
    // In this order, so that a holder who sees a waiter in the word finds it in the table.
    own.awaits.add(target, wanted);
    lock.register_waiter(wanted);
    bool taken = false;
    int failed = -1;
    const auto is_others_turn = [&] {
        return target == on.rank() && own.lets_others.load(std::memory_order_relaxed) && lock.near_turn();
    };
    collective::wait_for(on.home(), [&] {
        return (taken = !is_others_turn() && lock.try_lock(wanted, true)) ||
               (failed = hopeless_because_of(on, target, wanted)) >= 0;
    });
    own.awaits.drop();
    if (!taken) {
        lock.withdraw_waiter(wanted);
        static_cast<void>(wake_waiters(on, target, lock_word::wake::readers));
        fail(MPIX_ERR_PROC_FAILED, "the lock of target ", target, " was held by rank ", failed,
             " of the window, which has failed");
    }
}

} // namespace

bool try_take_lock(window &on, int target, kind wanted) {
    member &of = on.at(target);
    if (!of.lock.try_lock(wanted, false)) [[unlikely]] {
        return false;
    }
    if (wanted == kind::exclusive) {
        of.holder.store(on.number_of(on.rank()) + 1, std::memory_order_relaxed);
    }
    return true;
}

void take_lock(window &on, int target, kind wanted) {
    if (!try_take_lock(on, target, wanted)) [[unlikely]] {
        wait_for_lock(on, target, wanted);
        if (wanted == kind::exclusive) {
            on.at(target).holder.store(on.number_of(on.rank()) + 1, std::memory_order_relaxed);
        }
    }
}

bool give_lock(window &on, int target, kind held) {
    member &of = on.at(target);
    if (held == kind::exclusive) {
        of.holder.store(0, std::memory_order_relaxed);
    }
    const lock_word::wake whom = of.lock.unlock(held);
    if (whom == lock_word::wake::nobody) [[likely]] {
        return false;
    }
    static_cast<void>(wake_waiters(on, target, whom));
    return true;
}

void give_lock_of_far(window &on, kind held, std::optional<kind> awaited) {
    member &own = on.at(on.rank());
    if (held == kind::exclusive) {
        own.holder.store(0, std::memory_order_relaxed);
    }
    own.lets_others.store(false, std::memory_order_relaxed);
    const lock_word::wake whom = own.lock.unlock_far(held, awaited);
    if (whom != lock_word::wake::nobody && wake_waiters(on, on.rank(), whom)) {
        own.lets_others.store(true, std::memory_order_relaxed);
    }
}

void break_lock(window &on, int holder) {
    const int target = on.rank();
    on.at(target).broken_by.store(on.number_of(holder) + 1, std::memory_order_seq_cst);
    fabric::shared_memory *const medium = on.table().medium;
    for (int rank = 0; medium != nullptr && rank < on.size(); ++rank) {
        if (on.is_near(rank) && on.at(rank).awaits.is(target)) {
            medium->nudge(on.number_of(rank));
        }
    }
}

int lock_breaker(const window &on, int target) {
    const member &of = on.at(target);
    const group &members = on.comm().local_group();
    if (const int broken_by = of.broken_by.load(std::memory_order_seq_cst) - 1; broken_by >= 0) {
        return members.rank_of(broken_by);
    }
    if (!on.any_failed()) {
        return -1;
    }
    const int holder = of.holder.load(std::memory_order_relaxed) - 1;
    const int rank = holder >= 0 ? members.rank_of(holder) : MPI_UNDEFINED;
    return rank != MPI_UNDEFINED && on.has_failed(rank) ? rank : -1;
}

} // namespace lisle::rma
