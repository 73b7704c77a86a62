// SPDX-License-Identifier: Apache-2.0
// Evaluation by reduction: each step turns an expression into a value or into others. Nothing here waits; an
// expression that has to wait is a record, and whatever completes it goes on with it.
#include <algorithm>
#include <array>

#include "task/builtin.hpp"
#include "task/engine.hpp"
#include "task/tile.hpp"

namespace lisle::tasks {

namespace {

const failure *failed(std::span<const value> arguments) noexcept {
    for (const value &each : arguments) {
        if (each.is(object_kind::failure)) {
            return &each.as<failure>();
        }
    }
    return nullptr;
}
value again(const failure &reason) {
    return ref<failure>{const_cast<failure *>(&reason)};
}
/// A task over a part of a sequence has a frame of two values: the function and the sequence.
constexpr std::uint32_t function_slot = 0, sequence_slot = 1, sequence_frame = 2;

} // namespace

void tile::run(task now) {
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

// Evaluates an expression that has a value at once. If it needs an object that is not here, blocked_on_ says
// so and the value means nothing.
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
    const auto children = text.children_of(expression);
    std::array<value, 4> room;
    const std::span arguments{room.data(), children.size()};
    for (std::size_t i = 0; i < children.size(); ++i) {
        value argument = simple(text.nodes[children[i]], variables);
        if (argument.is_object()) [[unlikely]] {
            if (argument.is(object_kind::failure)) {
                return argument;
            }
            if (has_to_be_fetched(argument)) {
                blocked_on_.emplace_back(&argument.as<remote_object>());
                return {};
            }
            argument = value{here(argument)};
        }
        if (!blocked_on_.empty()) {
            return {};
        }
        room[i] = std::move(argument);
    }
    value quick;
    if (children.size() == 2 && quick_binary(static_cast<short_cut>(expression.b), room[0], room[1], quick)) {
        return quick;
    }
    try {
        return builtins()[expression.a].call(arguments, place_);
    } catch (const std::exception &reason) {
        const auto &name = builtins()[expression.a].name;
        return fail({&expression, &variables}, "'" + std::string{name} + "': " + reason.what());
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

bool tile::step(task &now) {
    const node &expression = *now.expression;
    if (now.is_range()) {
        return split(now);
    }
    if (expression.is_simple) {
        value result = simple(expression, *now.variables);
        return blocked_on_.empty() ? deliver(now, std::move(result)) : park(now, std::move(blocked_on_));
    }
    if (expression.is_placed() && now.is_placed == 0) {
        if (!place_task(now)) {
            return false;
        }
    }
    switch (expression.what) {
    case op::choose:
    case op::seq: {
        record *const waiting = record::make(pool_, 1, 1);
        waiting->expression = now.expression;
        waiting->variables = now.variables;
        waiting->to = now.to;
        waiting->slot = now.slot;
        waiting->program = now.variables->program;
        waiting->step = 1;
        const code &text = waiting->program->text;
        now = {&text.nodes[text.children_of(expression)[0]], now.variables->share(), waiting};
        return true;
    }
    case op::fresh_cell:
        return deliver(now, make<cell>(cell::sort::variable));
    default:
        return evaluate_arguments(now);
    }
}

// Evaluates all arguments: simple ones here and now, the others at once, each a task; the last of them by
// this tile.
bool tile::evaluate_arguments(task &now) {
    const node &expression = *now.expression;
    const code &text = now.variables->program->text;
    auto children = text.children_of(expression);
    if (expression.what == op::let) {
        children = children.first(expression.b);
    }
    std::array<value, 6> room;
    const bool all_simple =
        children.size() <= room.size() &&
        std::ranges::all_of(children, [&](std::uint32_t child) { return text.nodes[child].is_simple; });
    if (all_simple) {
        for (std::size_t i = 0; i < children.size(); ++i) {
            room[i] = simple(text.nodes[children[i]], *now.variables);
            if (!blocked_on_.empty()) {
                return park(now, std::move(blocked_on_));
            }
        }
        return perform(now, std::span{room.data(), children.size()});
    }
    const auto slots = static_cast<std::uint32_t>(children.size());
    const auto missing = static_cast<std::uint32_t>(
        std::ranges::count_if(children, [&](std::uint32_t child) { return !text.nodes[child].is_simple; }));
    record *const waiting = record::make(pool_, slots, missing);
    for (std::uint32_t i = 0; i < slots; ++i) {
        if (const node &child = text.nodes[children[i]]; child.is_simple) {
            waiting->values()[i] = simple(child, *now.variables);
            if (!blocked_on_.empty()) {
                waiting->free(pool_);
                return park(now, std::move(blocked_on_));
            }
        }
    }
    waiting->expression = &expression;
    waiting->variables = now.variables;
    waiting->to = now.to;
    waiting->slot = now.slot;
    waiting->program = now.variables->program;
    waiting->home = now.is_placed != 0 ? number_ : -1;
    if (missing == 0) {
        now = {nullptr, nullptr, waiting};
        return true;
    }
    task last;
    for (std::uint32_t i = 0; i < slots; ++i) {
        const node &child = text.nodes[children[i]];
        if (child.is_simple) {
            continue;
        }
        if (last.expression != nullptr) {
            spawn(last);
        }
        last = {&child, waiting->variables->share(), waiting, i};
    }
    now = last;
    return true;
}

// What an expression does with its arguments. The task still owns its frame.
bool tile::perform(task &now, std::span<value> arguments) {
    const node &expression = *now.expression;
    if (const failure *const reason = failed(arguments)) {
        return deliver(now, again(*reason));
    }
    const code &text = now.variables->program->text;
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
        const function_code &called = text.functions[expression.a];
        frame *const fresh = frame::make(pool_, called.frame, now.variables->program);
        std::ranges::move(arguments, fresh->values());
        now.variables->drop(pool_);
        now.variables = fresh;
        now.expression = &text.nodes[called.body];
        now.is_placed = 0;
        return true;
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
        return perform_kernel(now, arguments);
    default:
        return perform_cell(now, arguments);
    }
}

// Kernels, built-in functions and print: what computes with the contents of its arguments.
bool tile::perform_kernel(task &now, std::span<value> arguments) {
    const node &expression = *now.expression;
    const bool is_builtin = expression.what == op::builtin;
    std::vector<ref<remote_object>> missing;
    for (const value &each : arguments) {
        if (may_be_remote(each)) [[unlikely]] {
            find_missing(each, !is_builtin, missing);
        }
    }
    if (!missing.empty()) {
        record *const waiting = record::make(pool_, static_cast<std::uint32_t>(arguments.size()), 0);
        std::ranges::move(arguments, waiting->values());
        waiting->expression = &expression;
        waiting->variables = now.variables;
        waiting->to = now.to;
        waiting->slot = now.slot;
        waiting->program = now.variables->program;
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
    value result;
    std::string name;
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

// `now` becomes the body of a function. Its frame is given up.
void tile::enter(task &now, const closure &function, std::span<value> arguments) {
    const code &text = function.program->text;
    const function_code &called = text.functions[function.function];
    frame *const fresh = frame::make(pool_, called.frame, function.program);
    std::ranges::copy(function.captured, fresh->values());
    std::ranges::move(arguments, fresh->values() + called.captured);
    now.variables->drop(pool_);
    now.variables = fresh;
    now.expression = &text.nodes[called.body];
    now.is_placed = 0;
    now.first = now.end = 0;
}

bool tile::perform_sequence(task &now, std::span<value> arguments) {
    const node &expression = *now.expression;
    if (has_to_be_fetched(arguments[1])) {
        record *const waiting = record::make(pool_, 2, 0);
        std::ranges::move(arguments, waiting->values());
        waiting->expression = &expression;
        waiting->variables = now.variables;
        waiting->to = now.to;
        waiting->slot = now.slot;
        waiting->program = now.variables->program;
        std::vector<ref<remote_object>> missing{
            ref<remote_object>{&waiting->values()[1].as<remote_object>()}};
        now = {nullptr, nullptr, waiting};
        return park(now, std::move(missing));
    }
    const value sequence = here(arguments[1]);
    const std::int64_t length = length_of(sequence);
    if (!arguments[0].is(object_kind::closure) || length < 0 || length > 0x7fffffff) {
        return deliver(now, fail(now, length < 0 || length > 0x7fffffff
                                          ? "a list is wanted here, not " + kind_name(sequence)
                                          : "a function is wanted here, not " + kind_name(arguments[0])));
    }
    const auto count = static_cast<std::uint32_t>(length);
    const std::uint32_t wanted = expression.what == op::fold ? 2 : 1;
    const closure &function = arguments[0].as<closure>();
    if (function.program->text.functions[function.function].parameters != wanted) {
        return deliver(now,
                       fail(now, "a function of " + std::to_string(wanted) + " parameters is wanted here"));
    }
    if (count == 0) {
        return deliver(now, expression.what == op::map    ? value{std::vector<value>{}}
                            : expression.what == op::each ? value{}
                                                          : fail(now, "fold of a list without elements"));
    }
    frame *const both = frame::make(pool_, sequence_frame, now.variables->program);
    both->values()[function_slot] = arguments[0];
    both->values()[sequence_slot] = sequence;
    record *to = now.to;
    std::uint32_t slot = now.slot;
    if (expression.what != op::fold) {
        to = record::make(pool_, expression.what == op::map ? count : 1, count);
        to->expression = &expression;
        to->kind = expression.what == op::map ? record_kind::expression : record_kind::discard;
        to->to = now.to;
        to->slot = now.slot;
        to->program = now.variables->program;
        slot = 0;
    }
    now.variables->drop(pool_);
    now = {&expression, both, to, slot, 0, 0, count};
    return true;
}

// A task over a part of a sequence: gives away halves of it until one element is left.
bool tile::split(task &now) {
    const bool is_fold = now.expression->what == op::fold;
    while (now.end - now.first > 1) {
        const std::uint32_t middle = now.first + (now.end - now.first) / 2;
        task half = now;
        half.variables = now.variables->share();
        if (is_fold) {
            record *const both = record::make(pool_, 2, 2);
            both->kind = record_kind::fold;
            both->expression = now.expression;
            both->variables = now.variables->share();
            both->to = now.to;
            both->slot = now.slot;
            both->program = now.variables->program;
            now.to = half.to = both;
            now.slot = 0;
            half.slot = 1;
        }
        half.first = middle;
        now.end = middle;
        spawn(half);
    }
    value element = element_of(now.variables->values()[sequence_slot], now.first);
    if (is_fold) {
        return deliver(now, std::move(element));
    }
    now.slot = now.expression->what == op::map ? now.first : 0;
    const value function = now.variables->values()[function_slot];
    enter(now, function.as<closure>(), std::span{&element, 1});
    return true;
}

// Goes on with a record whose arguments are all there.
bool tile::fire(task &now) {
    record *const waiting = now.to;
    if (waiting->home >= 0 && waiting->home != number_) {
        engine_.post(waiting->home, now);
        return false;
    }
    switch (waiting->kind) {
    case record_kind::root:
        if (engine_.is_complete_or_fetches(*this, now)) {
            engine_.complete_program(*waiting);
            waiting->free(pool_);
        }
        return false;
    case record_kind::answer:
        engine_.send_answer(*waiting);
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
    case record_kind::expression:
        return fire_expression(now);
    }
    return false;
}

bool tile::fire_expression(task &now) {
    record *const waiting = now.to;
    const node &expression = *waiting->expression;
    if (expression.what == op::seq) {
        return fire_seq(now);
    }
    now = {waiting->expression, waiting->variables, waiting->to, waiting->slot, waiting->home >= 0 ? 1U : 0U};
    if (expression.what == op::choose) {
        const value condition = here(waiting->values()[0]);
        waiting->free(pool_);
        if (condition.is(object_kind::failure)) {
            return deliver(now, condition);
        }
        if (!condition.is_boolean()) {
            return deliver(now, fail(now, "a condition is true or false, not " + kind_name(condition) + " (" +
                                              to_string(condition) + ")"));
        }
        const code &text = now.variables->program->text;
        now.expression = &text.nodes[text.children_of(expression)[condition.boolean() ? 1 : 2]];
        now.is_placed = 0;
        return true;
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
    const bool goes_on = perform(now, waiting->all());
    waiting->free(pool_);
    return goes_on;
}

bool tile::fire_seq(task &now) {
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
bool tile::deliver(task &now, value result) {
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
    // Acquire and release: the one that brings the last value sees all others. A count of one is only ours.
    if (waiting->missing.load(std::memory_order_acquire) != 1 &&
        waiting->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return false;
    }
    now = {nullptr, nullptr, waiting};
    return true;
}

void tile::drop(task &now) noexcept {
    if (now.variables != nullptr) {
        now.variables->drop(pool_);
        now.variables = nullptr;
    }
}

// Makes a task that may run anywhere, unless it says where.
void tile::spawn(const task &ready) {
    task placed = ready;
    if (!ready.is_range() && (ready.expression->is_placed() || engine_.spreads_kernels())) {
        if (!place_task(placed)) {
            return;
        }
        if (placed.is_placed != 0) {
            post(placed);
            return;
        }
    }
    ready_.push(placed);
    engine_.announce_work(*this);
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
