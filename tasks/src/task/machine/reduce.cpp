// SPDX-License-Identifier: Apache-2.0
// Evaluation by reduction: each step turns an expression into a value or into others. Nothing here waits; an
// expression that has to wait is a record, and whatever completes it goes on with it.
#include <algorithm>

#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

namespace {
/// Simple arguments of kernels and forms are kept on the stack up to this number.
constexpr std::size_t most_on_stack = 6;
} // namespace

// A record that takes over the task's activation and its place.
record *reducer::suspend(const task &now, program_state &program, std::uint32_t slots,
                         std::uint32_t missing) {
    record *const waiting = record::make(pool_, slots, missing);
    waiting->expression = now.expression;
    waiting->variables = now.variables;
    waiting->to = now.to;
    waiting->slot = now.slot;
    waiting->program = &program;
    return waiting;
}

// `now` becomes the body of a function of the program, with an activation that has its arguments.
bool reducer::call(task &now, activation &fresh, std::size_t arguments) {
    const code &text = fresh.program->text;
    if (const failure *const reason = failed({fresh.values(), arguments})) {
        value result = again(*reason);
        fresh.drop(pool_);
        return deliver(now, std::move(result));
    }
    drop(now);
    now.variables = &fresh;
    now.expression = &text.nodes[text.functions[now.expression->a].body];
    now.is_placed = 0;
    return true;
}

// All arguments have values at once.
inline bool reducer::evaluate_simple(task &now) {
    const node &expression = *now.expression;
    program_state &program = *now.variables->program;
    auto children = program.text.children_of(expression);
    if (expression.what == op::call) { // they go where the function looks for them
        activation *const fresh =
            activation::make(pool_, program.text.functions[expression.a].slots, &program);
        for (std::size_t i = 0; i < children.size(); ++i) {
            simple_.evaluate(program.text.nodes[children[i]], *now.variables, fresh->values()[i]);
        }
        if (simple_.is_blocked()) {
            fresh->drop(pool_);
            return park(now, simple_.take_missing());
        }
        return call(now, *fresh, children.size());
    }
    if (expression.what == op::let) {
        children = children.first(expression.b);
    }
    if (children.size() > most_on_stack) {
        return evaluate_arguments(now);
    }
    few_values<most_on_stack> arguments;
    for (const std::uint32_t child : children) {
        simple_.evaluate(program.text.nodes[child], *now.variables, arguments.add());
    }
    if (simple_.is_blocked()) {
        return park(now, simple_.take_missing());
    }
    if (expression.what == op::kernel) {
        drop(now); // what only its arguments refer to, a kernel may change in its place
    }
    return perform(now, program, arguments.all());
}

// Evaluates all arguments: simple ones here and now, the others at once, each a task; the last of them by
// this tile.
bool reducer::evaluate_arguments(task &now) {
    const node &expression = *now.expression;
    program_state &program = *now.variables->program;
    const code &text = program.text;
    auto children = text.children_of(expression);
    if (expression.what == op::let) {
        children = children.first(expression.b);
    }
    const auto slots = static_cast<std::uint32_t>(children.size());
    record *const waiting = suspend(now, program, slots, expression.waits_for);
    if (expression.waits_for < slots) {
        for (std::uint32_t i = 0; i < slots; ++i) {
            if (const node &child = text.nodes[children[i]]; child.is_simple) {
                simple_.evaluate(child, *now.variables, waiting->values()[i]);
            }
        }
        if (simple_.is_blocked()) {
            waiting->free(pool_);
            return park(now, simple_.take_missing());
        }
    }
    waiting->home = now.is_placed != 0 ? tile_.number() : -1;
    if (expression.waits_for == 0) {
        now = {nullptr, nullptr, waiting};
        return true;
    }
    // Nothing else needs the variables when the arguments are there.
    activation *const variables = now.variables;
    const bool lets_go =
        expression.what == op::call || expression.what == op::builtin || expression.what == op::kernel;
    if (lets_go) {
        waiting->variables = nullptr;
    }
    std::uint32_t left = expression.waits_for;
    for (std::uint32_t i = 0; left != 0; ++i) {
        const node &child = text.nodes[children[i]];
        if (child.is_simple) {
            continue;
        }
        task ready{&child, nullptr, waiting, i};
        if (--left != 0) {
            if (!enter_call(ready, *variables)) {
                ready.variables = variables->share();
            }
            spawn(ready);
            continue;
        }
        if (!enter_call(ready, *variables)) { // the last one may have the variables
            ready.variables = lets_go ? variables : variables->share();
        } else if (lets_go) {
            variables->drop(pool_);
        }
        now = ready;
    }
    return true;
}

// A call whose arguments take no time becomes the function's body, with variables of its own: that costs less
// than to share those of the caller. @return false: it has to be evaluated in the usual way
inline bool reducer::enter_call(task &ready, activation &variables) {
    const node &expression = *ready.expression;
    if (!expression.is_entered) {
        return false;
    }
    const code &text = variables.program->text;
    const function_code &called = text.functions[expression.a];
    activation *const fresh = activation::make(pool_, called.slots, variables.program);
    const auto children = text.children_of(expression);
    for (std::size_t i = 0; i < children.size(); ++i) {
        simple_.evaluate(text.nodes[children[i]], variables, fresh->values()[i]);
    }
    if (simple_.is_blocked() || failed({fresh->values(), children.size()}) != nullptr) {
        simple_.forget_missing();
        fresh->drop(pool_);
        return false;
    }
    ready.expression = &text.nodes[called.body];
    ready.variables = fresh;
    return true;
}

// Goes on with a branch.
bool reducer::choose(task &now, const value &condition) {
    if (!condition.is_boolean()) [[unlikely]] {
        return refuse_condition(now, condition);
    }
    const code &text = now.variables->program->text;
    now.expression = &text.nodes[text.children_of(*now.expression)[condition.boolean() ? 1 : 2]];
    now.is_placed = 0;
    return true;
}
bool reducer::refuse_condition(task &now, const value &condition) {
    return deliver(now, condition.is(object_kind::failure)
                            ? value{condition}
                            : fail(now, "a condition is true or false, not " + kind_name(condition) + " (" +
                                            to_string(condition) + ")"));
}

inline bool reducer::step(task &now) {
    const node &expression = *now.expression;
    if (now.is_range()) {
        return split(now);
    }
    if (expression.is_simple) {
        value result;
        simple_.evaluate(expression, *now.variables, result);
        return !simple_.is_blocked() ? deliver(now, std::move(result)) : park(now, simple_.take_missing());
    }
    if (now.is_placed == 0 && scheduler_.places(expression)) {
        if (!place_task(now)) {
            return false;
        }
    }
    const code &text = now.variables->program->text;
    switch (expression.what) {
    case op::choose:
        if (const node &condition = text.nodes[text.children_of(expression)[0]]; condition.is_simple) {
            value chosen;
            simple_.evaluate(condition, *now.variables, chosen);
            return !simple_.is_blocked() ? choose(now, chosen) : park(now, simple_.take_missing());
        }
        [[fallthrough]];
    case op::seq: {
        record *const waiting = suspend(now, *now.variables->program, 1, 1);
        waiting->step = 1;
        now = {&text.nodes[text.children_of(expression)[0]], now.variables->share(), waiting};
        return true;
    }
    case op::fresh_cell:
        return deliver(now, make<cell>(cell::sort::variable));
    default:
        return expression.waits_for == 0 ? evaluate_simple(now) : evaluate_arguments(now);
    }
}

reducer::reducer(scheduler &of_rank, tile &own)
    : scheduler_{of_rank}, tile_{own}, pool_{own.pool()}, simple_{own.place()},
      kernels_(of_rank.parts().kernels.kernels()), running_{own.place()} {}

// A task of a program that was cancelled has a failure for a result. Parts of sequences have many, and are
// let come to their elements.
bool reducer::is_cancelled(const task &now) {
    return now.expression != nullptr && !now.is_range() &&
           now.variables->program->is_cancelled.load(std::memory_order_relaxed);
}

// Until there is no more to do, or for long enough.
void reducer::run(task &now) {
    constexpr int most_steps = 4096; // then others have their turn, and parcels
    if (is_cancelled(now) && !deliver(now, fail(now, "the program was cancelled"))) [[unlikely]] {
        return;
    }
    for (int steps = 0; now.expression == nullptr ? fire(now) : step(now); ++steps) {
        if (steps >= most_steps && now.expression != nullptr) {
            return tile_.go_on_later(now);
        }
    }
}

} // namespace lisle::tasks
