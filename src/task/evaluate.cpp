// SPDX-License-Identifier: Apache-2.0
// Evaluation by reduction: each step turns an expression into a value or into others. Nothing here waits; an
// expression that has to wait is a record, and whatever completes it goes on with it.
#include <algorithm>

#include "task/builtin.hpp"
#include "task/engine.hpp"
#include "task/failing.hpp"
#include "task/tile.hpp"

namespace lisle::tasks {

namespace {
/// Simple arguments of kernels and forms are kept on the stack up to this number.
constexpr std::size_t most_on_stack = 6;
} // namespace

// Evaluates an operation on two numbers. @return whether it was no more than that
inline bool tile::quick(const node &expression, frame &variables, value &result) noexcept {
    if (!expression.is_quick) {
        return false;
    }
    const value *const constants = variables.program->text.constants.data(), *const values =
                                                                                 variables.values();
    const auto operand = [&](std::int32_t which) -> const value & {
        return which < 0 ? constants[~which] : values[which];
    };
    return quick_binary(static_cast<short_cut>(expression.b), operand(expression.left),
                        operand(expression.right), result);
}

// Evaluates an expression that has a value at once. If it needs an object that is not here, blocked_on_ says
// so and the value means nothing.
inline void tile::at_once(const node &expression, frame &variables, value &result) {
    if (!quick(expression, variables, result)) {
        result = simple(expression, variables);
    }
}

value tile::simple(const node &expression, frame &variables) {
    const code &text = variables.program->text;
    switch (expression.what) {
    case op::constant:
        return text.constants[expression.a];
    case op::local:
        return variables.values()[expression.a];
    case op::lambda: {
        std::vector<value> captured;
        for (const std::uint32_t slot : text.captures_of(expression)) {
            captured.push_back(variables.values()[slot]);
        }
        return make<closure>(variables.program, expression.a, std::move(captured));
    }
    default:
        return simple_builtin(expression, variables);
    }
}

value tile::simple_builtin(const node &expression, frame &variables) {
    const code &text = variables.program->text;
    few_values<most_simple> arguments;
    for (const std::uint32_t child : text.children_of(expression)) {
        at_once(text.nodes[child], variables, arguments.add());
    }
    value quick;
    if (arguments.all().size() == 2 &&
        quick_binary(static_cast<short_cut>(expression.b), arguments.all()[0], arguments.all()[1], quick)) {
        return quick;
    }
    return simple_call(expression, arguments.all());
}

value tile::simple_call(const node &expression, std::span<value> arguments) {
    for (value &argument : arguments) {
        if (argument.is(object_kind::failure)) {
            return argument;
        }
        if (has_to_be_fetched(argument)) {
            blocked_on_.emplace_back(&argument.as<remote_object>());
        } else if (argument.is(object_kind::remote)) {
            argument = value{here(argument)};
        }
    }
    if (!blocked_on_.empty()) {
        return {};
    }
    try {
        return builtins()[expression.a].call(arguments, place_);
    } catch (const std::exception &reason) {
        const auto &name = builtins()[expression.a].name;
        return fail({&expression}, "'" + std::string{name} + "': " + reason.what());
    }
}

value tile::fail(const task &now, std::string message, std::string kernel) const {
    auto made =
        make<failure>(std::move(message), now.expression != nullptr ? now.expression->where : tasks::place{});
    made->kernel = std::move(kernel);
    made->tile = place_.tile;
    made->rank = place_.rank;
    return made;
}

// A record that takes over the task's frame and its place.
record *tile::suspend(const task &now, program_state &program, std::uint32_t slots, std::uint32_t missing) {
    record *const waiting = record::make(pool_, slots, missing);
    waiting->expression = now.expression;
    waiting->variables = now.variables;
    waiting->to = now.to;
    waiting->slot = now.slot;
    waiting->program = &program;
    return waiting;
}

// `now` becomes the body of a function of the program, with a frame that has its arguments.
bool tile::call(task &now, frame &fresh, std::size_t arguments) {
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
inline bool tile::evaluate_simple(task &now) {
    const node &expression = *now.expression;
    program_state &program = *now.variables->program;
    auto children = program.text.children_of(expression);
    if (expression.what == op::call) { // they go where the function looks for them
        frame *const fresh = frame::make(pool_, program.text.functions[expression.a].frame, &program);
        for (std::size_t i = 0; i < children.size(); ++i) {
            at_once(program.text.nodes[children[i]], *now.variables, fresh->values()[i]);
        }
        if (!blocked_on_.empty()) {
            fresh->drop(pool_);
            return park(now, std::move(blocked_on_));
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
        at_once(program.text.nodes[child], *now.variables, arguments.add());
    }
    return blocked_on_.empty() ? perform(now, program, arguments.all()) : park(now, std::move(blocked_on_));
}

// Evaluates all arguments: simple ones here and now, the others at once, each a task; the last of them by
// this tile.
bool tile::evaluate_arguments(task &now) {
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
                at_once(child, *now.variables, waiting->values()[i]);
            }
        }
        if (!blocked_on_.empty()) {
            waiting->free(pool_);
            return park(now, std::move(blocked_on_));
        }
    }
    waiting->home = now.is_placed != 0 ? number_ : -1;
    if (expression.waits_for == 0) {
        now = {nullptr, nullptr, waiting};
        return true;
    }
    // Nothing else needs the variables when the arguments are there.
    frame *const variables = now.variables;
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
inline bool tile::enter_call(task &ready, frame &variables) {
    const node &expression = *ready.expression;
    if (!expression.is_entered) {
        return false;
    }
    const code &text = variables.program->text;
    const function_code &called = text.functions[expression.a];
    frame *const fresh = frame::make(pool_, called.frame, variables.program);
    const auto children = text.children_of(expression);
    for (std::size_t i = 0; i < children.size(); ++i) {
        at_once(text.nodes[children[i]], variables, fresh->values()[i]);
    }
    if (!blocked_on_.empty() || failed({fresh->values(), children.size()}) != nullptr) {
        blocked_on_.clear();
        fresh->drop(pool_);
        return false;
    }
    ready.expression = &text.nodes[called.body];
    ready.variables = fresh;
    return true;
}

// Goes on with a branch.
bool tile::choose(task &now, const value &condition) {
    if (!condition.is_boolean()) [[unlikely]] {
        return refuse_condition(now, condition);
    }
    const code &text = now.variables->program->text;
    now.expression = &text.nodes[text.children_of(*now.expression)[condition.boolean() ? 1 : 2]];
    now.is_placed = 0;
    return true;
}
bool tile::refuse_condition(task &now, const value &condition) {
    return deliver(now, condition.is(object_kind::failure)
                            ? value{condition}
                            : fail(now, "a condition is true or false, not " + kind_name(condition) + " (" +
                                            to_string(condition) + ")"));
}

inline bool tile::step(task &now) {
    const node &expression = *now.expression;
    if (now.is_range()) {
        return split(now);
    }
    if (expression.is_simple) {
        value result;
        at_once(expression, *now.variables, result);
        return blocked_on_.empty() ? deliver(now, std::move(result)) : park(now, std::move(blocked_on_));
    }
    if (expression.is_placed && now.is_placed == 0) {
        if (!place_task(now)) {
            return false;
        }
    }
    const code &text = now.variables->program->text;
    switch (expression.what) {
    case op::choose:
        if (const node &condition = text.nodes[text.children_of(expression)[0]]; condition.is_simple) {
            value chosen;
            at_once(condition, *now.variables, chosen);
            return blocked_on_.empty() ? choose(now, chosen) : park(now, std::move(blocked_on_));
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

// Until there is no more to do, or for long enough.
void tile::run(task &now) {
    constexpr int most_steps = 4096; // then others have their turn, and packets
    for (int steps = 0; now.expression == nullptr ? fire(now) : step(now); ++steps) {
        if (steps >= most_steps && now.expression != nullptr) {
            if (now.is_placed != 0) {
                post(now);
            } else {
                ready_.push(now);
            }
            return;
        }
    }
}

// What an expression does with its arguments. The task still owns its frame, unless its record has let it go.
bool tile::perform(task &now, program_state &program, std::span<value> arguments) {
    const node &expression = *now.expression;
    if (expression.what == op::builtin && arguments.size() == 2) {
        value quick;
        if (quick_binary(static_cast<short_cut>(expression.b), arguments[0], arguments[1], quick)) {
            return deliver(now, std::move(quick));
        }
    }
    if (const failure *const reason = failed(arguments)) {
        return deliver(now, again(*reason));
    }
    const code &text = program.text;
    switch (expression.what) {
    case op::par:
        return deliver(now, arguments.empty() ? value{} : std::move(arguments.back()));
    case op::let: {
        std::ranges::move(arguments, now.variables->values() + expression.a);
        now.expression = &text.nodes[text.children_of(expression)[expression.b]];
        now.is_placed = 0;
        return true;
    }
    case op::call: {
        frame *const fresh = frame::make(pool_, text.functions[expression.a].frame, &program);
        std::ranges::move(arguments, fresh->values());
        return call(now, *fresh, arguments.size());
    }
    case op::apply:
    case op::run:
        return run_closure(now, arguments);
    case op::map:
    case op::each:
    case op::fold:
        return perform_sequence(now, arguments);
    case op::kernel:
    case op::builtin:
    case op::print:
        return perform_kernel(now, program, arguments);
    default:
        return perform_cell(now, arguments);
    }
}

// Kernels, built-in functions and print: what computes with the contents of its arguments.
bool tile::perform_kernel(task &now, program_state &program, std::span<value> arguments) {
    const node &expression = *now.expression;
    const bool is_builtin = expression.what == op::builtin;
    std::vector<ref<remote_object>> missing;
    for (const value &each : arguments) {
        if (may_be_remote(each)) [[unlikely]] {
            find_missing(each, !is_builtin, missing);
        }
    }
    if (!missing.empty()) {
        record *const waiting = suspend(now, program, static_cast<std::uint32_t>(arguments.size()), 0);
        std::ranges::move(arguments, waiting->values());
        waiting->home = now.is_placed != 0 ? number_ : -1;
        now = {nullptr, nullptr, waiting};
        return park(now, std::move(missing));
    }
    for (value &each : arguments) {
        if (each.is(object_kind::remote)) [[unlikely]] {
            each = value{here(each)};
        }
    }
    if (const failure *const reason = failed(arguments)) {
        return deliver(now, again(*reason));
    }
    if (expression.what == op::print) {
        std::string line;
        for (const value &each : arguments) {
            line += (line.empty() ? "" : " ") +
                    (each.is(object_kind::text) ? each.as<text>().content : to_string(each));
        }
        engine_.print(line);
        return deliver(now, arguments.empty() ? value{} : std::move(arguments.back()));
    }
    if (ready_.has_own()) {
        share_tasks();
    }
    value result;
    try {
        if (is_builtin) {
            result = builtins()[expression.a].call(arguments, place_);
        } else {
            engine_.before_kernel(*this);
            const method_entry &method = engine_.kernels().at(expression.a);
            const double begin = engine_.traces() ? engine_.now() : 0;
            void *const object = kernel_object(method.kernel());
            result = method.call(object, arguments);
            ++kernels_run;
            if (engine_.traces()) [[unlikely]] {
                events_.push_back({begin, engine_.now(), place_.tile, method.name()});
            }
        }
    } catch (const std::exception &reason) {
        result = is_builtin
                     ? fail(now, "'" + std::string{builtins()[expression.a].name} + "': " + reason.what())
                     : fail(now, reason.what(), engine_.kernels().at(expression.a).name());
    } catch (...) {
        result =
            fail(now, "an exception that is no std::exception", engine_.kernels().at(expression.a).name());
    }
    return deliver(now, std::move(result));
}

// A function that has been computed, or an expression that was quoted.
bool tile::run_closure(task &now, std::span<value> arguments) {
    if (!arguments[0].is(object_kind::closure)) {
        return deliver(now, fail(now, "a function is wanted here, not " + kind_name(arguments[0])));
    }
    const value held = arguments[0];
    const closure &function = held.as<closure>();
    const auto given = arguments.subspan(1);
    const function_code &called = function.program->text.functions[function.function];
    if (given.size() != called.parameters) {
        return deliver(now, fail(now, called.name + " wants " + std::to_string(called.parameters) +
                                          " arguments, not " + std::to_string(given.size())));
    }
    enter(now, function, given);
    return true;
}

// `now` becomes the body of a function. Its frame, if it has one, is given up.
void tile::enter(task &now, const closure &function, std::span<value> arguments) {
    const code &text = function.program->text;
    const function_code &called = text.functions[function.function];
    frame *const fresh = frame::make(pool_, called.frame, function.program);
    std::ranges::copy(function.captured, fresh->values());
    std::ranges::move(arguments, fresh->values() + called.captured);
    drop(now);
    now.variables = fresh;
    now.expression = &text.nodes[called.body];
    now.is_placed = 0;
    now.first = now.end = 0;
}

} // namespace lisle::tasks
