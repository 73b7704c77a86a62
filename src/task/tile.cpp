// SPDX-License-Identifier: Apache-2.0
// What a tile does next: its posts, its own tasks, those of others, or sleep.
#include "task/tile.hpp"

#include <algorithm>
#include <chrono>

#include "task/engine.hpp"

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

tile::tile(engine &machine, int number, const tile_place &where)
    : engine_{machine}, number_{number}, place_{where}, kernels_(machine.kernels().kernels()) {}

tile::~tile() = default;

void *tile::kernel_object(std::size_t kernel) {
    auto &object = kernels_[kernel];
    if (!object) {
        object = engine_.kernels().instantiate(kernel, place_);
    }
    return object.get();
}

bool tile::run_one() {
    task next;
    if (take_post(next) || take_withheld(next)) {
        run(next);
        return true;
    }
    // While other ranks are behind, what would make more tasks for them has to wait.
    if (engine_.is_throttled()) {
        return false;
    }
    if (ready_.pop(next)) {
        run(next);
        return true;
    }
    if (steal_nearby(next)) {
        ++stolen;
        run(next);
        return true;
    }
    return false;
}

void tile::post(const task &placed) {
    {
        const std::scoped_lock guard{mutex_};
        inbox_.push_back(placed);
        posts_.store(inbox_.size(), std::memory_order_seq_cst);
    }
    wake_if_asleep();
}

// A task that only computes begins at once. One that makes tasks of its own waits while this rank has no room
// for them at others, so that what has begun and waits for results stays bounded.
bool tile::take_post(task &taken) {
    bool is_last = false;
    while (pop_post(taken, is_last)) {
        if (engine_.is_throttled() && makes_tasks(taken)) {
            withheld_.push_back(taken);
            withheld_count_.store(withheld_.size(), std::memory_order_seq_cst);
            continue;
        }
        begin(taken, is_last);
        return true;
    }
    return false;
}

bool tile::pop_post(task &taken, bool &is_last) {
    if (!has_posts()) {
        return false;
    }
    const std::scoped_lock guard{mutex_};
    taken = inbox_.front();
    inbox_.pop_front();
    is_last = inbox_.empty();
    posts_.store(inbox_.size(), std::memory_order_seq_cst);
    return true;
}

bool tile::take_withheld(task &taken) {
    if (withheld_.empty()) {
        begins_withheld_.store(false, std::memory_order_seq_cst);
        return false;
    }
    if (engine_.is_throttled() && !begins_withheld()) {
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
        engine_.credit(static_cast<int>(taken.is_placed) - 2, is_last);
        taken.is_placed = 1;
    }
}

bool tile::steal_nearby(task &stolen_task) {
    const std::size_t tiles = engine_.tiles_.size();
    if (tiles == 1 || engine_.options_.where == spread::stay) {
        return false;
    }
    for (std::size_t i = 0; i < tiles; ++i) {
        tile &victim = *engine_.tiles_[(turn_ + i) % tiles];
        if (&victim != this && victim.ready_.steal(stolen_task)) {
            turn_ = static_cast<unsigned>((turn_ + i) % tiles);
            return true;
        }
    }
    ++turn_;
    return false;
}

std::size_t tile::waiting() const noexcept {
    return static_cast<std::size_t>(std::max<std::int64_t>(ready_.size(), 0)) +
           posts_.load(std::memory_order_relaxed);
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
    is_asleep_.store(true, std::memory_order_seq_cst);
    const bool is_last = engine_.asleep_count_.fetch_add(1, std::memory_order_seq_cst) + 1 ==
                         static_cast<int>(engine_.tiles_.size());
    bool has_work = has_posts() || begins_withheld();
    if (!engine_.is_throttled()) {
        has_work = has_work || has_withheld();
        for (const auto &other : engine_.tiles_) {
            has_work = has_work || (other->ready_.size() > 0 &&
                                    (other.get() == this || engine_.options_.where != spread::stay));
        }
    }
    if (has_work) {
        wake_if_asleep();
        return;
    }
    if (is_last) {
        engine_.transport_.wake(); // the rank may be idle
    }
    std::unique_lock guard{mutex_};
    awake_.wait(guard, [&] { return is_stopped_ || !is_asleep(); });
}

bool tile::wake_if_asleep() {
    if (!is_asleep() || !is_asleep_.exchange(false, std::memory_order_seq_cst)) {
        return false;
    }
    engine_.wake_ups_.fetch_add(1, std::memory_order_seq_cst);
    engine_.asleep_count_.fetch_sub(1, std::memory_order_seq_cst);
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

void tile::find_missing(const value &any, bool deep, std::vector<ref<remote_object>> &missing) {
    if (has_to_be_fetched(any)) {
        missing.emplace_back(&any.as<remote_object>());
    } else if (deep && any.is(object_kind::list) && any.as<list>().may_be_remote()) {
        for (const value &item : any.as<list>().items) {
            find_missing(item, deep, missing);
        }
    }
}

// The task goes on when the objects are here.
bool tile::park(const task &now, std::vector<ref<remote_object>> missing) {
    blocked_on_.clear();
    struct waiting_task {
        std::atomic<std::size_t> missing; ///< acq_rel: the last one goes on
        task what;
    };
    auto waiting = std::make_shared<waiting_task>(missing.size(), now);
    for (const auto &each : missing) {
        each->when_here([waiting, &machine = engine_, number = number_] {
            if (waiting->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                machine.post(number, waiting->what);
            }
        });
    }
    return false;
}

// Operations on variables that are assigned once, and on buffers.
bool tile::perform_cell(task &now, std::span<value> arguments) {
    switch (now.expression->what) {
    case op::fresh_buffer: {
        std::deque<value> filled;
        if (arguments.empty()) {
            return deliver(now, make<cell>(cell::sort::buffer));
        }
        const std::int64_t length = length_of(here(arguments[0]));
        if (length < 0) {
            return deliver(now, fail(now, "buf wants a list, not " + kind_name(arguments[0])));
        }
        for (std::int64_t i = 0; i < length; ++i) {
            filled.push_back(element_of(here(arguments[0]), i));
        }
        return deliver(now, make<cell>(std::move(filled)));
    }
    case op::assign:
    case op::put:
        engine_.use_cell(packet_request::put, arguments[0], arguments[1], deliver_later(now));
        return false;
    case op::close:
        engine_.use_cell(packet_request::close, arguments[0], {}, deliver_later(now));
        return false;
    default:
        engine_.use_cell(packet_request::get, arguments[0], {}, deliver_later(now));
        return false;
    }
}

// The task's result comes later, from whatever thread: its place gets it as soon as this tile goes on.
continuation tile::deliver_later(const task &now) {
    return [&machine = engine_, number = number_, now](value result) {
        if (result.is(object_kind::failure) && result.as<failure>().where == tasks::place{}) {
            auto located = make<failure>(result.as<failure>().message, now.expression->where);
            located->tile = machine.tiles_[static_cast<std::size_t>(number)]->place().tile;
            located->rank = machine.transport_.rank();
            result = located;
        }
        record *const carried = record::make(block_pool::fresh(record::bytes(1)), 1, 0);
        carried->kind = record_kind::carry;
        carried->variables = now.variables;
        carried->to = now.to;
        carried->slot = now.slot;
        carried->values()[0] = std::move(result);
        machine.post(number, {nullptr, nullptr, carried});
    };
}

} // namespace lisle::tasks
