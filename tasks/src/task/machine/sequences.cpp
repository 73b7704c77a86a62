// SPDX-License-Identifier: Apache-2.0
// map, fold and the loops: a task over a sequence gives away halves of it, a loop only when its tile has
// nothing else that others could take.
#include <algorithm>

#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

bool reducer::perform_sequence(task &now, std::span<value> arguments) {
    const node &expression = *now.expression;
    if (has_to_be_fetched(arguments[1])) {
        record *const waiting = suspend(now, *now.variables->program, 2, 0);
        std::ranges::move(arguments, waiting->values());
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
                            : expression.what == op::fold ? fail(now, "fold of a list without elements")
                                                          : value{});
    }
    if (expression.what == op::turns) {
        return begin_turns(now, arguments[0], sequence);
    }
    activation *const both = activation::make(pool_, sequence_slots, now.variables->program);
    both->values()[function_slot] = arguments[0];
    both->values()[sequence_slot] = sequence;
    record *to = now.to;
    std::uint32_t slot = now.slot;
    if (expression.what == op::each) {
        to = make_counter(now, count);
        slot = 0;
    } else if (expression.what == op::map) {
        to = record::make(pool_, count, count);
        to->expression = &expression;
        to->to = now.to;
        to->slot = now.slot;
        to->program = now.variables->program;
        slot = 0;
    }
    now.variables->drop(pool_);
    now = {&expression, both, to, slot, 0, 0, count};
    return true;
}

// A task over a part of a sequence.
bool reducer::split(task &now) {
    return now.expression->what == op::fold ? split_fold(now) : split_loop(now);
}

// Does the first element and leaves the rest to be taken up again, by this tile or by others.
bool reducer::split_loop(task &now) {
    value element = element_of(now.variables->values()[sequence_slot], now.first);
    const value &function = now.variables->values()[function_slot];
    task first{now.expression, nullptr, now.to, now.expression->what == op::map ? now.first : 0};
    enter(first, function.as<closure>(), std::span{&element, 1});
    if (++now.first == now.end) {
        now.variables->drop(pool_);
    } else {
        if (now.end - now.first > 1 && tile_.ready().size() == 0) {
            halve(now);
        }
        spawn(now);
    }
    now = first;
    return true;
}

// Gives away half of a loop. Both halves have all of their own that is written for each element, so that
// tiles that work on them do not meet: the function, and for loops without results the count.
void reducer::halve(task &loop) {
    task half = loop;
    half.first = loop.end = loop.first + (loop.end - loop.first) / 2;
    half.variables = activation::make(pool_, sequence_slots, loop.variables->program);
    std::ranges::copy_n(loop.variables->values(), sequence_slots, half.variables->values());
    if (loop.expression->what == op::each) {
        const std::uint32_t count = half.end - half.first;
        half.to = make_counter(loop, count);
        // Relaxed: what is left of the loop is counted, so it does not end here.
        loop.to->missing.fetch_sub(count - 1, std::memory_order_relaxed);
    }
    spawn(half);
}

// A loop whose elements come in turn. Slots of its record:
constexpr std::uint32_t last_turn = 0, turn_function = 1, turn_sequence = 2, turn_slots = 3;

bool reducer::begin_turns(task &now, const value &function, const value &sequence) {
    record *const loop = suspend(now, *now.variables->program, turn_slots, 0);
    loop->kind = record_kind::turns;
    loop->values()[turn_function] = function;
    loop->values()[turn_sequence] = sequence;
    now = {nullptr, nullptr, loop};
    return true;
}

bool reducer::next_turn(task &now) {
    record *const loop = now.to;
    value &last = loop->values()[last_turn];
    const value &sequence = loop->values()[turn_sequence];
    if (last.is(object_kind::failure) || loop->step == length_of(sequence)) {
        value result = last.is(object_kind::failure) ? std::move(last) : value{};
        now = {loop->expression, loop->variables, loop->to, loop->slot};
        loop->free(pool_);
        return deliver(now, std::move(result));
    }
    last = value{};
    value element = element_of(sequence, loop->step++);
    loop->missing.store(1, std::memory_order_relaxed); // nobody else has the record now
    now = {loop->expression, nullptr, loop, last_turn};
    enter(now, loop->values()[turn_function].as<closure>(), std::span{&element, 1});
    return true;
}

// A record that counts results and goes on to where the loop's results go.
record *reducer::make_counter(const task &loop, std::uint32_t count) {
    record *const made = record::make(pool_, 1, count);
    made->kind = record_kind::discard;
    made->expression = loop.expression;
    made->to = loop.to;
    made->slot = loop.slot;
    made->program = loop.variables->program;
    return made;
}

// Gives away halves until one element is left.
bool reducer::split_fold(task &now) {
    while (now.end - now.first > 1) {
        const std::uint32_t middle = now.first + (now.end - now.first) / 2;
        task half = now;
        half.variables = now.variables->share();
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
        half.first = middle;
        now.end = middle;
        spawn(half);
    }
    return deliver(now, element_of(now.variables->values()[sequence_slot], now.first));
}

} // namespace lisle::tasks
