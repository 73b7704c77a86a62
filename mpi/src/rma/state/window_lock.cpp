// SPDX-License-Identifier: Apache-2.0
#include "rma/state/window_lock.hpp"

#include "base/error.hpp"
#include "collective/wait_for.hpp"
#include "protocol/engine.hpp"

namespace lisle::rma {

namespace {

using kind = lock_word::kind;

/// Wakes ranks that wait for a lock that has become free: all readers, or one writer, in turn.
/// @return true if a rank other than the target is certain to try
[[gnu::cold, gnu::noinline]] bool wake_waiters(const window_members &members, int target,
                                               lock_word::wake whom) {
    fabric::shared_memory *const medium = members.table().medium;
    if (medium == nullptr) {
        return false;
    }
    const kind waiting = whom == lock_word::wake::readers ? kind::shared : kind::exclusive;
    std::atomic<std::int32_t> &last_woken = members.at(target).last_woken;
    const int last = last_woken.load(std::memory_order_relaxed);
    bool certain = false;
    for (int i = 1; i <= members.size(); ++i) {
        const int rank = (last + i) % members.size();
        if (!members.is_near(rank)) {
            continue;
        }
        const awaited_lock::match found = members.at(rank).awaits.compare(target, waiting);
        if (found == awaited_lock::match::none) {
            continue;
        }
        medium->nudge(members.number_of(rank));
        // A further rank is woken if it is not certain that this one tries: it may wait for other locks as
        // well, and the target may wait on behalf of ranks of other nodes while it computes.
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

/// The failed rank that holds the target's lock; -1: none.
int failed_holder(const window_members &members, int target) {
    const member &of = members.at(target);
    const group &all = members.comm().local_group();
    if (const int broken_by = of.broken_by.load(std::memory_order_seq_cst) - 1; broken_by >= 0) {
        return all.rank_of(broken_by);
    }
    if (!members.failed.any()) {
        return -1;
    }
    const int holder = of.holder.load(std::memory_order_relaxed) - 1;
    const int rank = holder >= 0 ? all.rank_of(holder) : MPI_UNDEFINED;
    return rank != MPI_UNDEFINED && members.failed.contain(rank) ? rank : -1;
}

[[gnu::cold, gnu::noinline]] void wait_for_lock(const window_members &members, int target, kind wanted) {
    member &own = members.own();
    lock_word &lock = members.at(target).lock;
    // In this order, so that a holder that sees a waiter in the word finds it in the table.
    own.awaits.add(target, wanted);
    lock.register_waiter(wanted);
    bool taken = false;
    int failed = -1;
    const auto is_others_turn = [&] {
        return target == members.rank() && own.lets_others.load(std::memory_order_relaxed) &&
               lock.near_turn();
    };
    try {
        collective::wait_for(members.home(), [&] {
            return (taken = !is_others_turn() && lock.try_lock(wanted, true)) ||
                   (failed = lock_breaker(members, target, wanted)) >= 0;
        });
    } catch (...) { // other work of the rank, which it has tried meanwhile
        own.awaits.drop();
        stop_waiting(members, target, wanted);
        throw;
    }
    own.awaits.drop();
    if (!taken) {
        stop_waiting(members, target, wanted);
        fail(MPIX_ERR_PROC_FAILED, "the lock of target ", target, " was held by rank ", failed,
             " of the window, which has failed");
    }
}

} // namespace

bool try_take_lock(const window_members &members, int target, kind wanted) {
    member &of = members.at(target);
    if (!of.lock.try_lock(wanted, false)) [[unlikely]] {
        return false;
    }
    if (wanted == kind::exclusive) {
        of.holder.store(members.number_of(members.rank()) + 1, std::memory_order_relaxed);
    }
    return true;
}

void take_lock(const window_members &members, int target, kind wanted) {
    if (!try_take_lock(members, target, wanted)) [[unlikely]] {
        wait_for_lock(members, target, wanted);
        if (wanted == kind::exclusive) {
            members.at(target).holder.store(members.number_of(members.rank()) + 1, std::memory_order_relaxed);
        }
    }
}

bool give_lock(const window_members &members, int target, kind held) {
    member &of = members.at(target);
    if (held == kind::exclusive) {
        of.holder.store(0, std::memory_order_relaxed);
    }
    const lock_word::wake whom = of.lock.unlock(held);
    if (whom == lock_word::wake::nobody) [[likely]] {
        return false;
    }
    static_cast<void>(wake_waiters(members, target, whom));
    return true;
}

void give_lock_of_far(const window_members &members, kind held, std::optional<kind> awaited) {
    member &own = members.own();
    if (held == kind::exclusive) {
        own.holder.store(0, std::memory_order_relaxed);
    }
    own.lets_others.store(false, std::memory_order_relaxed);
    const lock_word::wake whom = own.lock.unlock_far(held, awaited);
    if (whom != lock_word::wake::nobody && wake_waiters(members, members.rank(), whom)) {
        own.lets_others.store(true, std::memory_order_relaxed);
    }
}

void break_lock(const window_members &members, int holder) {
    const int target = members.rank();
    members.at(target).broken_by.store(members.number_of(holder) + 1, std::memory_order_seq_cst);
    fabric::shared_memory *const medium = members.table().medium;
    for (int rank = 0; medium != nullptr && rank < members.size(); ++rank) {
        if (members.is_near(rank) && members.at(rank).awaits.is(target)) {
            medium->nudge(members.number_of(rank));
        }
    }
}

int lock_breaker(const window_members &members, int target, kind wanted) {
    // Writers that wait keep a reader out only until they give up; a failed writer that holds the lock keeps
    // it out for good.
    const bool kept_out = wanted == kind::exclusive || members.at(target).lock.held_exclusively();
    return kept_out ? failed_holder(members, target) : -1;
}

void stop_waiting(const window_members &members, int target, kind wanted) {
    members.at(target).lock.withdraw_waiter(wanted);
    // This waiter may have kept readers out, which sleep until they are woken.
    static_cast<void>(wake_waiters(members, target, lock_word::wake::readers));
}

} // namespace lisle::rma
