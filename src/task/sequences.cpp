// SPDX-License-Identifier: Apache-2.0
// map, fold and the loops: a task over a sequence gives away halves of it.
#include <algorithm>

#include "task/engine.hpp"
#include "task/failing.hpp"
#include "task/tile.hpp"

namespace lisle::tasks {

bool tile::perform_sequence(task &now, std::span<value> arguments) {
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

} // namespace lisle::tasks
