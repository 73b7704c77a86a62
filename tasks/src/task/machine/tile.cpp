// SPDX-License-Identifier: Apache-2.0
// The choice of a tile's next action: tasks that it was given, its own tasks, those of others, or sleep.
#include "task/machine/tile.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "task/machine/scheduler.hpp"

namespace lisle::tasks {

namespace {
/// Whether it is an expression whose evaluation makes tasks, not a record whose arguments are there.
bool makes_tasks(const task &ready) noexcept {
    if (ready.expression == nullptr) {
        return false;
    }
    const node &expression = *ready.expression;
    return !expression.is_simple && (expression.what != op::kernel || expression.waits_for != 0);
}
} // namespace

tile::tile(scheduler &of_rank, int number, const tile_place &where)
    : scheduler_{of_rank}, number_{number}, place_{where}, reducer_{of_rank, *this} {}

tile::~tile() = default;

bool tile::run_one() {
    task next;
    if (!take_others(next) && !take_next(next)) {
        return false;
    }
    reducer_.run(next);
    return true;
}

// What comes first otherwise, what was given to the tile and the newest of its own tasks, would come first
// for ever, if it never ends. So after a task that has used up its turn the oldest has one.
bool tile::take_others(task &next) {
    const put_back last = std::exchange(put_back_, put_back::nothing);
    if (last == put_back::nothing || scheduler_.parts().credits.is_throttled()) {
        return false;
    }
    return (last == put_back::own && take_post(next)) ||
           scheduler_.parts().tiles.shared().take(next, shared_tasks::least::usual) || ready_.steal(next);
}

bool tile::take_next(task &next) {
    if (take_post(next) || take_withheld(next)) {
        return true;
    }
    // While other ranks are behind, what would make more tasks for them has to wait.
    if (scheduler_.parts().credits.is_throttled()) {
        return false;
    }
    shared_tasks &shared = scheduler_.parts().tiles.shared();
    if (shared.take(next, shared_tasks::least::urgent) || ready_.pop(next) ||
        shared.take(next, shared_tasks::least::usual)) {
        return true;
    }
    if (steal_nearby(next)) {
        ++stolen_;
        return true;
    }
    return shared.take(next, shared_tasks::least::any);
}

void tile::go_on_later(const task &unfinished) {
    put_back_ = unfinished.is_placed != 0 ? put_back::placed : put_back::own;
    if (unfinished.is_placed != 0) {
        post(unfinished);
    } else {
        ready_.push(unfinished);
    }
}

void tile::post(const task &placed) {
    inbox_.put(placed);
    wake_if_asleep();
}

// A task that only computes begins at once. One that makes tasks of its own waits while this rank has no room
// for them at others, so that what has begun and waits for results stays bounded.
bool tile::take_post(task &taken) {
    bool is_last = false;
    while (inbox_.take(taken, is_last)) {
        if (scheduler_.parts().credits.is_throttled() && makes_tasks(taken)) {
            withheld_.push_back(taken);
            withheld_count_.store(withheld_.size(), std::memory_order_seq_cst);
            continue;
        }
        begin(taken, is_last);
        return true;
    }
    return false;
}

bool tile::take_withheld(task &taken) {
    if (withheld_.empty()) {
        begins_withheld_.store(false, std::memory_order_seq_cst);
        return false;
    }
    if (scheduler_.parts().credits.is_throttled() && !begins_withheld()) {
        return false;
    }
    taken = withheld_.front();
    withheld_.pop_front();
    withheld_count_.store(withheld_.size(), std::memory_order_seq_cst);
    begin(taken, withheld_.empty());
    return true;
}

void tile::begin_withheld() {
    begins_withheld_.store(true, std::memory_order_seq_cst);
    wake_if_asleep();
}

// Another rank from which a task comes is told that it has begun.
void tile::begin(task &taken, bool is_last) {
    if (taken.is_placed > 1) {
        scheduler_.to_others().credit(static_cast<int>(taken.is_placed) - 2, is_last);
        taken.is_placed = 1;
    }
}

bool tile::steal_nearby(task &stolen) {
    const rank_parts &rank = scheduler_.parts();
    if (rank.tiles.size() == 1 || rank.options.where == spread::stay) {
        return false;
    }
    if (rank.tiles.steal(this, stolen, turn_)) {
        return true;
    }
    ++turn_;
    return false;
}

std::size_t tile::waiting() const noexcept {
    return static_cast<std::size_t>(std::max<std::int64_t>(ready_.size(), 0)) + inbox_.size();
}

void tile::work() {
    // For so long it looks in vain before it sleeps. A time, not a number of looks: where cores are scarce a
    // single one may cost milliseconds.
    constexpr std::chrono::microseconds patience{100};
    std::chrono::steady_clock::time_point begin{};
    for (bool is_looking = false;;) {
        if (run_one()) {
            is_looking = false;
            continue;
        }
        const auto now = std::chrono::steady_clock::now();
        if (!is_looking) {
            is_looking = true;
            begin = now;
        }
        if (now - begin < patience) {
            std::this_thread::yield();
            continue;
        }
        {
            const std::scoped_lock guard{mutex_};
            if (is_stopped_) {
                return;
            }
        }
        sleep();
        is_looking = false;
    }
}

// Says that it sleeps, looks once more, and sleeps. A tile that gives it something, or
// makes a task that it could steal, either is seen by that look or sees that it sleeps.
void tile::sleep() {
    rank_parts &rank = scheduler_.parts();
    is_asleep_.store(true, std::memory_order_seq_cst);
    const bool is_last = rank.tiles.note_sleeping();
    if (rank.tiles.has_tasks_for(*this, rank.credits.is_throttled())) {
        wake_if_asleep();
        return;
    }
    if (is_last) {
        rank.tiles.call_rank(); // it may be idle
    }
    std::unique_lock guard{mutex_};
    awake_.wait(guard, [&] { return is_stopped_ || !is_asleep(); });
}

bool tile::wake_if_asleep() {
    if (!is_asleep() || !is_asleep_.exchange(false, std::memory_order_seq_cst)) {
        return false;
    }
    scheduler_.parts().tiles.note_awake();
    {
        const std::scoped_lock guard{mutex_}; // it is waiting, or has not looked yet
    }
    awake_.notify_one();
    return true;
}

void tile::stop() {
    {
        const std::scoped_lock guard{mutex_};
        is_stopped_ = true;
    }
    awake_.notify_one();
}

} // namespace lisle::tasks
