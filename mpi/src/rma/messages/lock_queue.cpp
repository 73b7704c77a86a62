// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/lock_queue.hpp"

#include "rma/state/window_lock.hpp"

namespace lisle::rma {

using lock_kind = lock_word::kind;

bool lock_queue::try_take(int origin, lock_kind wanted) {
    const bool taken =
        waiting_.empty() && members_.own().lock.try_lock(wanted, false, lock_word::origin::far);
    if (taken) {
        note_holder(origin, wanted);
    }
    return taken;
}

void lock_queue::note_holder(int origin, lock_kind held) {
    held_[origin] = held;
    if (held == lock_kind::exclusive) {
        members_.own().holder.store(members_.number_of(origin) + 1, std::memory_order_relaxed);
    }
}

void lock_queue::give_back(int origin) {
    const auto found = held_.find(origin);
    const lock_kind held = found->second;
    held_.erase(found);
    give_lock_of_far(members_, held, awaited_);
}

std::optional<lock_queue::decision> lock_queue::take_for(const waiting_origin &first) {
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
        return std::nullopt;
    }
    if (awaited_) {
        end_waiting(taken);
    }
    if (taken) {
        note_holder(first.origin, first.wanted);
    }
    return decision{first.origin, first.id, failed};
}

std::vector<lock_queue::decision> lock_queue::take() {
    std::vector<decision> taken;
    while (!waiting_.empty()) {
        const std::optional<decision> decided = take_for(waiting_.front());
        if (!decided) {
            break;
        }
        waiting_.pop_front();
        taken.push_back(*decided);
    }
    return taken;
}

void lock_queue::end_waiting(bool taken) {
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
    std::erase_if(waiting_, [origin](const waiting_origin &each) { return each.origin == origin; });
    if (awaited_) { // the next one may want another kind of lock
        end_waiting(false);
    }
}

} // namespace lisle::rma
