// SPDX-License-Identifier: Apache-2.0
#include "task/machine/results.hpp"

#include <stdexcept>
#include <string>

#include "task/language/repeatable.hpp"

namespace lisle::tasks {

namespace {

std::string told(const awaited &owed, const std::string &why) {
    return "rank " + std::to_string(owed.from) + " has died, and " + why;
}

/// The task's variables, or the function and the sequence of a task over a part of one.
std::span<const value> values_of(const task &given) {
    return {given.variables->values(), given.variables->slots};
}

void drop_kept(rank_parts &own, const awaited &done) {
    if (done.kept.variables != nullptr) {
        done.kept.variables->drop(own.pool);
    }
}

} // namespace

awaited result_of(const task &given, int rank) {
    awaited result{rank, given.to, given.slot, 1, {}};
    if (given.is_range() && given.expression->what != op::fold) {
        result.is_list = given.expression->what == op::map;
        result.slot = result.is_list ? given.first : 0;
        result.count = given.end - given.first;
    }
    return result;
}

void put_result(rank_parts &own, const awaited &expected, value result) {
    drop_kept(own, expected);
    if (expected.then) {
        return expected.then(std::move(result));
    }
    record &waiting = *expected.to;
    const bool has_failed = result.is(object_kind::failure);
    if (waiting.kind == record_kind::discard) {
        if (has_failed && std::atomic_ref{waiting.step}.exchange(1, std::memory_order_relaxed) == 0) {
            waiting.values()[0] = std::move(result);
        }
    } else if (expected.is_list && !has_failed) {
        if (length_of(result) != expected.count) {
            throw std::runtime_error{"a part of a map has come back with a wrong number of results"};
        }
        for (std::uint32_t i = 0; i < expected.count; ++i) {
            waiting.values()[expected.slot + i] = result.as<list>().items[i];
        }
    } else {
        waiting.values()[expected.slot] = std::move(result);
    }
    // As in reducer::deliver.
    if (waiting.missing.fetch_sub(expected.count, std::memory_order_acq_rel) == expected.count) {
        const task complete{nullptr, nullptr, &waiting};
        (waiting.home >= 0 ? own.tiles[waiting.home] : own.tiles.least_loaded()).post(complete);
    }
}

void make_good(rank_parts &own, const awaited &owed) {
    if (owed.kept.expression == nullptr) {
        return put_result(own, owed, make<failure>(told(owed, "what it kept is lost"), place{}));
    }
    const node &expression = *owed.kept.expression;
    const std::string obstacle = obstacle_to_repeating(owed.kept.variables->program->text, own.kernels,
                                                       expression, values_of(owed.kept));
    if (!obstacle.empty()) {
        auto reason = make<failure>(told(owed, "its task is not done again: it may have used " + obstacle),
                                    expression.where);
        return put_result(own, owed, value{std::move(reason)});
    }
    ++own.tasks_repeated;
    task again = owed.kept;
    again.is_placed = 1; // here, wherever the program wants it
    own.tiles.least_loaded().post(again);
}

} // namespace lisle::tasks
