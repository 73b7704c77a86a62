// SPDX-License-Identifier: Apache-2.0
#include "task/machine/credits.hpp"

#include <algorithm>
#include <utility>

namespace lisle::tasks {

bool task_credits::take_or_keep(int rank, const placed_task &placed) {
    const std::scoped_lock guard{mutex_};
    of_rank &other = at(rank);
    if (other.under_way >= of_each_ || !other.waiting.empty()) {
        other.waiting.push_back(placed);
        most_waiting_ = std::max<std::uint64_t>(most_waiting_, other.waiting.size());
        throttled_.store(true, std::memory_order_relaxed);
        return false;
    }
    ++other.under_way;
    return true;
}

bool task_credits::take_next(int rank, placed_task &next) {
    const std::scoped_lock guard{mutex_};
    of_rank &other = at(rank);
    if (other.waiting.empty() || other.under_way >= of_each_) {
        return false;
    }
    next = other.waiting.front();
    other.waiting.pop_front();
    ++other.under_way;
    return true;
}

bool task_credits::come_back(int rank, std::uint64_t count) {
    const std::scoped_lock guard{mutex_};
    of_rank &other = at(rank);
    if (count > other.under_way) {
        return false;
    }
    other.under_way -= static_cast<unsigned>(count);
    return true;
}

std::deque<placed_task> task_credits::lose(int rank) {
    const std::scoped_lock guard{mutex_};
    return std::exchange(at(rank), of_rank{}).waiting;
}

bool task_credits::end_throttling() {
    const std::scoped_lock guard{mutex_};
    const auto nothing_waits = [](const of_rank &each) { return each.waiting.empty(); };
    if (!is_throttled() || !std::ranges::all_of(ranks_, nothing_waits)) {
        return false;
    }
    throttled_.store(false, std::memory_order_relaxed);
    return true;
}

unsigned task_credits::owe(int rank, bool now) {
    const std::scoped_lock guard{mutex_};
    unsigned &owed = at(rank).owed;
    ++owed;
    return now || owed >= of_each_ / 4 ? std::exchange(owed, 0) : 0;
}

unsigned task_credits::under_way(int rank) const {
    const std::scoped_lock guard{mutex_};
    return ranks_[static_cast<std::size_t>(rank)].under_way;
}

std::uint64_t task_credits::most_waiting() const {
    const std::scoped_lock guard{mutex_};
    return most_waiting_;
}

} // namespace lisle::tasks
