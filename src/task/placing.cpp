// SPDX-License-Identifier: Apache-2.0
// Where tasks go: to any tile that has nothing to do, or to the one that the program names.
#include "task/engine.hpp"
#include "task/failing.hpp"
#include "task/tile.hpp"

namespace lisle::tasks {

// Before what may take long, and when others wait for work: lets them have this tile's tasks.
void tile::share_tasks() {
    ready_.share_all();
    if (engine_.waits_for_work()) {
        engine_.announce_work(*this);
    }
}

// Makes a task that may run anywhere, unless it says where.
void tile::spawn(const task &ready) {
    if (!ready.is_range() && (ready.expression->is_placed || engine_.spreads_kernels())) {
        task placed = ready;
        if (!place_task(placed)) {
            return;
        }
        if (placed.is_placed != 0) {
            post(placed);
            return;
        }
    }
    ready_.push(ready);
    if (engine_.waits_for_work()) [[unlikely]] {
        share_tasks();
    }
}

// @return whether the task is on its tile; else it has been sent there, has failed or waits
bool tile::place_task(task &now) {
    const node &expression = *now.expression;
    const code &text = now.variables->program->text;
    const auto number = [&](std::int32_t which) -> std::int64_t {
        const value given = simple(text.nodes[static_cast<std::size_t>(which)], *now.variables);
        if (given.is(object_kind::failure)) {
            throw std::invalid_argument{given.as<failure>().message};
        }
        if (blocked_on_.empty() && !given.is_integer()) {
            refuse_value(given, "the number of a tile or a rank");
        }
        return given.integer();
    };
    int target = place_.tile;
    try {
        if (expression.rank >= 0) {
            const int rank = engine_.map().checked_rank(number(expression.rank), engine_.wraps());
            const std::int64_t inside = expression.tile >= 0  ? number(expression.tile)
                                        : rank == place_.rank ? number_
                                                              : 0;
            if (inside < 0 || (inside >= engine_.map().count_of(rank) && !engine_.wraps())) {
                throw std::out_of_range{"tile " + std::to_string(inside) + " of rank " +
                                        std::to_string(rank) + ", which has " +
                                        std::to_string(engine_.map().count_of(rank))};
            }
            target = engine_.map().first_of(rank) + static_cast<int>(inside % engine_.map().count_of(rank));
        } else if (expression.tile >= 0) {
            target = engine_.map().checked_tile(number(expression.tile), engine_.wraps());
        } else {
            target = engine_.choose_tile(*this, expression, *now.variables);
        }
    } catch (const std::exception &reason) {
        blocked_on_.clear();
        if (deliver(now, fail(now, reason.what()))) {
            post(now);
        }
        return false;
    }
    if (!blocked_on_.empty()) {
        park(now, std::move(blocked_on_));
        return false;
    }
    if (target < 0) { // anywhere
        return true;
    }
    now.is_placed = 1;
    if (target == place_.tile) {
        return true;
    }
    engine_.dispatch(*this, now, target);
    return false;
}

} // namespace lisle::tasks
