// SPDX-License-Identifier: Apache-2.0
// The operation of an expression whose arguments have values.
#include <algorithm>
#include <chrono>

#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

namespace {
double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
} // namespace

// What an expression does with its arguments. The task still owns its activation, unless its record has let
// it go.
bool reducer::perform(task &now, program_state &program, std::span<value> arguments) {
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
        activation *const fresh = activation::make(pool_, text.functions[expression.a].slots, &program);
        std::ranges::move(arguments, fresh->values());
        return call(now, *fresh, arguments.size());
    }
    case op::apply:
    case op::run:
        return run_closure(now, arguments);
    case op::map:
    case op::each:
    case op::fold:
    case op::turns:
        return perform_sequence(now, arguments);
    case op::update:
        return perform_update(now, program, arguments);
    case op::kernel:
    case op::builtin:
    case op::print:
        return perform_kernel(now, program, arguments);
    default:
        return perform_cell(now, arguments);
    }
}

// Kernels, built-in functions and print: what computes with the contents of its arguments.
bool reducer::perform_kernel(task &now, program_state &program, std::span<value> arguments) {
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
        waiting->home = now.is_placed != 0 ? tile_.number() : -1;
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
    if (!is_builtin && program.is_cancelled.load(std::memory_order_relaxed)) {
        return deliver(now, fail(now, "the program was cancelled"));
    }
    if (expression.what == op::print) {
        std::string line;
        for (const value &each : arguments) {
            line += (line.empty() ? "" : " ") +
                    (each.is(object_kind::text) ? each.as<text>().content : to_string(each));
        }
        scheduler_.parts().printer.print(line);
        return deliver(now, arguments.empty() ? value{} : std::move(arguments.back()));
    }
    if (tile_.ready().has_own()) {
        share_tasks();
    }
    return deliver(now, is_builtin ? call_builtin(now, arguments) : call_kernel(now, program, arguments));
}

value reducer::call_builtin(const task &now, std::span<value> arguments) {
    const auto &called = builtins()[now.expression->a];
    try {
        return called.call(arguments, tile_.place());
    } catch (const std::exception &reason) {
        return fail(now, "'" + std::string{called.name} + "': " + reason.what());
    }
}

value reducer::call_kernel(const task &now, const program_state &program, std::span<value> arguments) {
    const rank_parts &rank = scheduler_.parts();
    const method_entry &method = rank.kernels.at(now.expression->a);
    try {
        scheduler_.before_kernel();
        const kernel_mark mark{running_, method, program.text.file, now.expression->where};
        const double begin = rank.options.traces ? seconds() : 0;
        value result = method.call(kernel_object(method.kernel()), arguments);
        ++kernels_run_;
        if (rank.options.traces) [[unlikely]] {
            events_.push_back({begin, seconds(), tile_.place().tile, tile_.place().rank, method.name(),
                               now.expression->where});
        }
        return result;
    } catch (const std::exception &reason) {
        return fail(now, reason.what(), method.name());
    } catch (...) {
        return fail(now, "an exception that is no std::exception", method.name());
    }
}

void *reducer::kernel_object(std::size_t kernel) {
    auto &object = kernels_[kernel];
    if (!object) {
        object = scheduler_.parts().kernels.instantiate(kernel, tile_.place());
    }
    return object.get();
}

// A function that has been computed, or an expression that was quoted.
bool reducer::run_closure(task &now, std::span<value> arguments) {
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

// `now` becomes the body of a function. Its activation, if it has one, is given up.
void reducer::enter(task &now, const closure &function, std::span<value> arguments) {
    const code &text = function.program->text;
    const function_code &called = text.functions[function.function];
    activation *const fresh = activation::make(pool_, called.slots, function.program);
    std::ranges::copy(function.captured, fresh->values());
    std::ranges::move(arguments, fresh->values() + called.captured);
    drop(now);
    now.variables = fresh;
    now.expression = &text.nodes[called.body];
    now.is_placed = 0;
    now.first = now.end = 0;
}

} // namespace lisle::tasks
