// SPDX-License-Identifier: Apache-2.0
// Results reach the records that wait for them, and a record whose last argument has come goes on.
#include <algorithm>
#include <iterator>

#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

// Goes on with a record whose arguments are all there.
bool reducer::fire(task &now) {
    record *const waiting = now.to;
    if (waiting->home >= 0 && waiting->home != tile_.number()) {
        scheduler_.post(waiting->home, now);
        return false;
    }
    switch (waiting->kind) {
    case record_kind::root:
        if (scheduler_.complete_program(tile_, now)) {
            waiting->free(pool_);
        }
        return false;
    case record_kind::answer:
        scheduler_.to_others().send_result(waiting->answer_rank, waiting->answer, waiting->values()[0]);
        waiting->free(pool_);
        return false;
    case record_kind::carry: {
        value result = std::move(waiting->values()[0]);
        now = {nullptr, waiting->variables, waiting->to, waiting->slot};
        waiting->free(pool_);
        return deliver(now, std::move(result));
    }
    case record_kind::discard: {
        value result =
            waiting->values()[0].is(object_kind::failure) ? std::move(waiting->values()[0]) : value{};
        now = {nullptr, nullptr, waiting->to, waiting->slot};
        waiting->free(pool_);
        return deliver(now, std::move(result));
    }
    case record_kind::fold: {
        now = {waiting->expression, waiting->variables, waiting->to, waiting->slot};
        if (const failure *const reason = failed(waiting->all())) {
            value result = again(*reason);
            waiting->free(pool_);
            return deliver(now, std::move(result));
        }
        const value function = now.variables->values()[function_slot];
        enter(now, function.as<closure>(), waiting->all());
        waiting->free(pool_);
        return true;
    }
    case record_kind::turns:
        return next_turn(now);
    case record_kind::update:
        return run_update(now);
    case record_kind::versions:
        return complete_update(now);
    case record_kind::expression:
        return fire_expression(now);
    }
    return false;
}

bool reducer::fire_expression(task &now) {
    record *const waiting = now.to;
    const node &expression = *waiting->expression;
    if (expression.what == op::seq) {
        return fire_seq(now);
    }
    now = {waiting->expression, waiting->variables, waiting->to, waiting->slot, waiting->home >= 0 ? 1U : 0U};
    if (expression.what == op::choose) {
        const value condition = here(waiting->values()[0]);
        waiting->free(pool_);
        return choose(now, condition);
    }
    if (expression.what == op::map && waiting->variables == nullptr) { // all results are there
        const failure *const reason = failed(waiting->all());
        value result =
            reason != nullptr
                ? again(*reason)
                : value{std::vector<value>(std::make_move_iterator(waiting->values()),
                                           std::make_move_iterator(waiting->values() + waiting->slots))};
        waiting->free(pool_);
        return deliver(now, std::move(result));
    }
    const bool goes_on = perform(now, *waiting->program, waiting->all());
    waiting->free(pool_);
    return goes_on;
}

bool reducer::fire_seq(task &now) {
    record *const waiting = now.to;
    const code &text = waiting->program->text;
    const auto children = text.children_of(*waiting->expression);
    value &last = waiting->values()[0];
    if (last.is(object_kind::failure) || waiting->step == children.size()) {
        value result = std::move(last);
        now = {waiting->expression, waiting->variables, waiting->to, waiting->slot};
        waiting->free(pool_);
        return deliver(now, std::move(result));
    }
    const node *const next = &text.nodes[children[waiting->step++]];
    if (waiting->step == children.size()) { // the last one's value goes on by itself
        now = {next, waiting->variables, waiting->to, waiting->slot};
        waiting->free(pool_);
        return true;
    }
    last = value{};
    waiting->missing.store(1, std::memory_order_relaxed); // nobody else has the record now
    now = {next, waiting->variables->share(), waiting};
    return true;
}

// Puts a result where it is awaited. `now` becomes the record, if that was the last one it missed.
bool reducer::deliver(task &now, value &&result) {
    drop(now);
    record *const waiting = now.to;
    if (waiting->kind == record_kind::discard) {
        // Relaxed: whether a failure was the first; the count below publishes it.
        if (result.is(object_kind::failure) &&
            std::atomic_ref{waiting->step}.exchange(1, std::memory_order_relaxed) == 0) {
            waiting->values()[0] = std::move(result);
        }
    } else {
        waiting->values()[now.slot] = std::move(result);
    }
    return count_down(now, *waiting);
}

bool reducer::count_down(task &now, record &waiting) {
    // Acquire and release: the one that brings the last value sees all others. A count of one is only ours.
    if (waiting.missing.load(std::memory_order_acquire) != 1 &&
        waiting.missing.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return false;
    }
    now = {nullptr, nullptr, &waiting};
    return true;
}

} // namespace lisle::tasks
