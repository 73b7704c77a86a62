// SPDX-License-Identifier: Apache-2.0
// Where tasks go: to any tile that has nothing to do, or to the one that the program names.
#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

// Before what may take long, and when others wait for work: lets them have this tile's tasks.
void reducer::share_tasks() {
    tile_.ready().share_all();
    if (scheduler_.waits_for_work()) {
        scheduler_.announce_work(tile_);
    }
}

// Makes a task that may run anywhere, unless it says where.
void reducer::spawn(const task &ready) {
    if (!ready.is_range() && scheduler_.places(*ready.expression)) {
        task placed = ready;
        if (!place_task(placed)) {
            return;
        }
        if (placed.is_placed != 0) {
            tile_.post(placed);
            return;
        }
    }
    tile_.ready().push(ready);
    if (scheduler_.waits_for_work()) [[unlikely]] {
        share_tasks();
    }
}

// Zero, unless the expression has one. Throws std::invalid_argument if that is no integer.
std::int64_t reducer::priority_of(const node &expression, activation &variables) {
    if (expression.priority < 0) {
        return 0;
    }
    const value given = simple_.value_of(
        variables.program->text.nodes[static_cast<std::size_t>(expression.priority)], variables);
    if (given.is(object_kind::failure)) {
        throw std::invalid_argument{given.as<failure>().message};
    }
    if (!simple_.is_blocked() && !given.is_integer()) {
        refuse_value(given, "a priority");
    }
    return given.integer();
}

// @return whether the task is on its tile; else it has been sent there, has failed or waits
bool reducer::place_task(task &now) {
    const node &expression = *now.expression;
    const code &text = now.variables->program->text;
    const auto number = [&](std::int32_t which) -> std::int64_t {
        const value given = simple_.value_of(text.nodes[static_cast<std::size_t>(which)], *now.variables);
        if (given.is(object_kind::failure)) {
            throw std::invalid_argument{given.as<failure>().message};
        }
        if (!simple_.is_blocked() && !given.is_integer()) {
            refuse_value(given, "the number of a tile or a rank");
        }
        return given.integer();
    };
    int target = tile_.place().tile;
    std::int64_t priority = 0;
    try {
        priority = priority_of(expression, *now.variables);
        if (expression.rank >= 0) {
            const int rank = scheduler_.parts().map.checked_rank(number(expression.rank),
                                                                 scheduler_.parts().options.wraps);
            const std::int64_t inside = expression.tile >= 0         ? number(expression.tile)
                                        : rank == tile_.place().rank ? tile_.number()
                                                                     : 0;
            if (inside < 0 ||
                (inside >= scheduler_.parts().map.count_of(rank) && !scheduler_.parts().options.wraps)) {
                throw std::out_of_range{"tile " + std::to_string(inside) + " of rank " +
                                        std::to_string(rank) + ", which has " +
                                        std::to_string(scheduler_.parts().map.count_of(rank))};
            }
            target = scheduler_.parts().map.first_of(rank) +
                     static_cast<int>(inside % scheduler_.parts().map.count_of(rank));
        } else if (expression.tile >= 0) {
            target = scheduler_.parts().map.checked_tile(number(expression.tile),
                                                         scheduler_.parts().options.wraps);
        } else {
            target = scheduler_.choose_tile(tile_, expression, *now.variables);
        }
    } catch (const std::exception &reason) {
        simple_.forget_missing();
        if (deliver(now, fail(now, reason.what()))) {
            tile_.post(now);
        }
        return false;
    }
    if (simple_.is_blocked()) {
        park(now, simple_.take_missing());
        return false;
    }
    if (target < 0) { // anywhere
        if (expression.priority < 0 || scheduler_.parts().options.where == spread::stay) {
            return true;
        }
        now.is_placed = 1; // where it is taken
        scheduler_.share(now, priority);
        return false;
    }
    now.is_placed = 1;
    if (target == tile_.place().tile) {
        return true;
    }
    scheduler_.dispatch(tile_, now, target);
    return false;
}

} // namespace lisle::tasks
