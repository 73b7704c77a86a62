// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/lock_queue.hpp"

#include <utility>

#include "rma/state/window_lock.hpp"

namespace lisle::rma {

using lock_kind = lock_word::kind;

bool lock_queue::try_take(int origin, lock_kind wanted) {
    holders::node_type entry = entry_of(origin, wanted);
    const bool taken =
        waiting_.empty() && members_.own().lock.try_lock(wanted, false, lock_word::origin::far);
    if (taken) {
        note_holder(std::move(entry));
    }
    return taken;
}

lock_queue::holders::node_type lock_queue::entry_of(int origin, lock_kind held) {
    holders one{{origin, held}};
    return one.extract(one.begin());
}

void lock_queue::note_holder(holders::node_type &&entry) noexcept {
    if (entry.mapped() == lock_kind::exclusive) {
        members_.own().holder.store(members_.number_of(entry.key()) + 1, std::memory_order_relaxed);
    }
    held_.insert(std::move(entry));
}

void lock_queue::give_back(int origin) {
    const auto found = held_.find(origin);
    const lock_kind held = found->second;
    held_.erase(found);
    give_lock_of_far(members_, held, awaited_);
}

bool lock_queue::decide(waiting_origin &first) noexcept {
    member &own = members_.own();
    bool taken = own.lock.try_lock(first.wanted, awaited_.has_value(), lock_word::origin::far);
    const int failed = taken ? -1 : lock_breaker(members_, members_.rank(), first.wanted);
    if (!taken && failed < 0 && !awaited_) {
        // In this order, as in window_lock.cpp: a holder that sees a waiter finds it in the table.
        own.awaits.add(members_.rank(), first.wanted);
        own.lock.register_waiter(first.wanted);
        awaited_ = first.wanted;
        taken = own.lock.try_lock(first.wanted, true, lock_word::origin::far);
    }
    if (!taken && failed < 0) {
        return false;
    }
    if (awaited_) {
        end_waiting(taken);
    }
    if (taken) {
        note_holder(std::move(first.entry));
    }
    first.outcome.failed = failed;
    return true;
}

const lock_queue::decision *lock_queue::take() noexcept {
    if (waiting_.empty()) {
        return nullptr;
    }
    waiting_origin &first = waiting_.front();
    first.decided = first.decided || decide(first);
    return first.decided ? &first.outcome : nullptr;
}

void lock_queue::end_waiting(bool taken) noexcept {
    members_.own().awaits.drop();
    if (!taken) {
        stop_waiting(members_, members_.rank(), *awaited_);
    }
    awaited_.reset();
}

void lock_queue::forget(int origin) {
    if (held_.contains(origin)) {
        break_lock(members_, origin);
    }
    std::erase_if(waiting_, [origin](const waiting_origin &each) { return each.outcome.origin == origin; });
    if (awaited_) { // the next one may want another kind of lock
        end_waiting(false);
    }
}

} // namespace lisle::rma
