// SPDX-License-Identifier: Apache-2.0
#include "task/machine/simple.hpp"

namespace lisle::tasks {

value simple_evaluator::value_of(const node &expression, activation &variables) {
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
        return builtin(expression, variables);
    }
}

value simple_evaluator::builtin(const node &expression, activation &variables) {
    const code &text = variables.program->text;
    few_values<most_simple> arguments;
    for (const std::uint32_t child : text.children_of(expression)) {
        evaluate(text.nodes[child], variables, arguments.add());
    }
    value quick;
    if (arguments.all().size() == 2 &&
        quick_binary(static_cast<short_cut>(expression.b), arguments.all()[0], arguments.all()[1], quick)) {
        return quick;
    }
    return call(expression, arguments.all());
}

value simple_evaluator::call(const node &expression, std::span<value> arguments) {
    for (value &argument : arguments) {
        if (argument.is(object_kind::failure)) {
            return argument;
        }
        if (has_to_be_fetched(argument)) {
            missing_.emplace_back(&argument.as<remote_object>());
        } else if (argument.is(object_kind::remote)) {
            argument = value{here(argument)};
        }
    }
    if (!missing_.empty()) {
        return {};
    }
    try {
        return builtins()[expression.a].call(arguments, place_);
    } catch (const std::exception &reason) {
        const auto &name = builtins()[expression.a].name;
        return fail(&expression, "'" + std::string{name} + "': " + reason.what());
    }
}

value simple_evaluator::fail(const node *expression, std::string message, std::string kernel) const {
    auto made = make<failure>(std::move(message), expression != nullptr ? expression->where : tasks::place{});
    made->kernel = std::move(kernel);
    made->tile = place_.tile;
    made->rank = place_.rank;
    return made;
}

} // namespace lisle::tasks
