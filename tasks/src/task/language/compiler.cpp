// SPDX-License-Identifier: Apache-2.0
#include "task/language/compiler.hpp"

#include <algorithm>

#include "task/language/builtin.hpp"
#include "task/language/rewriting.hpp"

namespace lisle::tasks {

namespace {

std::string count_text(std::size_t least, std::size_t most) {
    const auto named = [](std::size_t n) {
        return std::to_string(n) + (n == 1 ? " argument" : " arguments");
    };
    return least == most        ? named(least)
           : most == any_number ? "at least " + named(least)
                                : std::to_string(least) + " to " + named(most);
}

} // namespace

code compiler::compile() {
    constexpr std::uint32_t whole_program = 0;
    made_.add_function("the program", 0);
    for (const datum &form : program_.forms) {
        if (form.is_form("define")) {
            declare(form);
        }
    }
    for (const datum &form : program_.forms) {
        if (form.is_form("define")) {
            define(form);
        }
    }
    made_.set_body(whole_program, main_body(whole_program));
    return made_.finish(program_, kernels_.hash());
}

void compiler::declare(const datum &form) {
    if (form.items.size() < 3 || form.items[1].is != datum::kind::list || form.items[1].items.empty()) {
        refuse(form.where,
               "define wants (define (name parameter ...) body), as in (define (twice x) (* 2 x))");
    }
    const auto &head = form.items[1].items;
    for (const datum &name : head) {
        check_name(name);
    }
    if (forms().contains(head[0].symbol) || find_builtin(head[0].symbol) >= 0) {
        refuse(head[0].where, "'" + head[0].symbol + "' is part of the language and cannot be defined again");
    }
    if (functions_.contains(head[0].symbol)) {
        refuse(head[0].where, "function '" + head[0].symbol + "' is defined twice");
    }
    functions_[head[0].symbol] = made_.add_function(head[0].symbol, head.size() - 1);
}

void compiler::define(const datum &form) {
    const auto &head = form.items[1].items;
    scope inside{functions_.at(head[0].symbol)};
    for (std::size_t i = 1; i < head.size(); ++i) {
        made_.add_variable(inside, head[i].symbol);
    }
    made_.set_body(inside.function, body(form, 2, inside));
}

std::uint32_t compiler::main_body(std::uint32_t function) {
    scope top{function};
    std::vector<std::uint32_t> steps;
    for (const datum &form : program_.forms) {
        if (!form.is_form("define")) {
            steps.push_back(expression(form, top));
        }
    }
    if (steps.empty()) {
        refuse({1, 1}, "the program has no expression to evaluate");
    }
    return steps.size() == 1 ? steps[0] : made_.add(op::seq, program_.forms[0].where, steps, top);
}

std::uint32_t compiler::expression(const datum &form, scope &in) {
    switch (form.is) {
    case datum::kind::constant:
        return made_.add_constant(form.constant, form.where, in);
    case datum::kind::symbol:
        return name(form, in);
    case datum::kind::list:
        break;
    }
    if (form.items.empty()) {
        return made_.add_constant({}, form.where, in);
    }
    const placement where = placement_of(form.items[0], in);
    const std::uint32_t made = list(form, in);
    made_.put_at(made, where);
    return made;
}

std::vector<std::uint32_t> compiler::expressions(const datum &form, std::size_t first, scope &in) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = first; i < form.items.size(); ++i) {
        all.push_back(expression(form.items[i], in));
    }
    return all;
}

std::uint32_t compiler::body(const datum &form, std::size_t first, scope &in) {
    if (form.items.size() <= first) {
        refuse(form.where, "'" + form.items[0].symbol + "' wants an expression");
    }
    if (form.items.size() == first + 1) {
        return expression(form.items[first], in);
    }
    std::vector<std::uint32_t> parts;
    for (std::size_t i = first; i < form.items.size(); ++i) {
        parts.push_back(expression(form.items[i], in));
    }
    return made_.add(op::par, form.where, parts, in);
}

std::uint32_t compiler::name(const datum &form, scope &in) {
    if (const auto slot = in.find(form.symbol)) {
        return made_.add(op::local, form.where, {}, in, *slot);
    }
    if (const auto function = functions_.find(form.symbol); function != functions_.end()) {
        return made_.add(op::lambda, form.where, {}, in, function->second);
    }
    if (find_builtin(form.symbol) >= 0 || kernels_.find(form.symbol) >= 0) {
        return language_name_as_value(form, in);
    }
    refuse(form.where, "'" + form.symbol + "' is no variable, function or kernel.method here");
}

// A built-in function or a method as a value: of two parameters where the number is free, as fold wants.
std::uint32_t compiler::language_name_as_value(const datum &form, scope &in) {
    const int method = kernels_.find(form.symbol), built_in = find_builtin(form.symbol);
    std::size_t arity = method >= 0 ? kernels_.at(static_cast<std::size_t>(method)).arity() : 2;
    if (built_in >= 0) {
        const auto &entry = builtins()[static_cast<std::size_t>(built_in)];
        arity = entry.most == any_number ? 2 : entry.most;
    }
    return expression(as_lambda(form, arity), in);
}

std::uint32_t compiler::list(const datum &form, scope &in) {
    const datum &head = form.items[0];
    if (head.is == datum::kind::constant) {
        refuse(head.where, "a function was expected here, not " + kind_name(head.constant));
    }
    if (head.is == datum::kind::symbol && !in.find(head.symbol)) {
        if (const auto special = forms().find(head.symbol); special != forms().end()) {
            return special->second(*this, form, in);
        }
        if (const int built_in = find_builtin(head.symbol); built_in >= 0) {
            return built_in_call(static_cast<std::uint32_t>(built_in), form, in);
        }
        if (const auto function = functions_.find(head.symbol); function != functions_.end()) {
            check_count(form, made_.function(function->second).parameters);
            return made_.add(op::call, form.where, expressions(form, 1, in), in, function->second);
        }
        if (const int method = kernels_.find(head.symbol); method >= 0) {
            return kernel_call(static_cast<std::uint32_t>(method), form, in);
        }
        refuse(head.where, "'" + head.symbol + "' is no function, kernel.method or form of the language");
    }
    return made_.add(op::apply, form.where, expressions(form, 0, in), in);
}

std::uint32_t compiler::built_in_call(std::uint32_t index, const datum &form, scope &in) {
    const builtin &called = builtins()[index];
    const std::size_t given = form.items.size() - 1;
    if (given < called.least || given > called.most) {
        refuse(form.where, "'" + std::string{called.name} + "' wants " +
                               count_text(called.least, called.most) + ", not " + std::to_string(given));
    }
    const auto quick = given == 2 ? called.quick : short_cut::none;
    return made_.add(op::builtin, form.where, expressions(form, 1, in), in, index,
                     static_cast<std::uint32_t>(quick));
}

std::uint32_t compiler::kernel_call(std::uint32_t index, const datum &form, scope &in) {
    check_count(form, kernels_.at(index).arity());
    return made_.add(op::kernel, form.where, expressions(form, 1, in), in, index);
}

std::uint32_t compiler::closure(const std::vector<datum> &parameters, const datum &form, std::size_t first,
                                scope &in) {
    scope inside{made_.add_function("a function", parameters.size())};
    inside.outer = &in;
    for (std::size_t i = first; i < form.items.size(); ++i) {
        capture_names(form.items[i], parameters, inside);
    }
    for (const datum &parameter : parameters) {
        check_name(parameter);
        made_.add_variable(inside, parameter.symbol);
    }
    made_.set_body(inside.function, body(form, first, inside));
    return made_.add_closure(inside, form.where, in);
}

// Every name in the body that is also an outer variable gets a slot, even if an inner let hides it: capturing
// a value that is not used costs one copy.
void compiler::capture_names(const datum &piece, const std::vector<datum> &parameters, scope &inside) {
    for (const auto *part : {&piece.items, &piece.tile, &piece.rank, &piece.priority}) {
        for (const datum &item : *part) {
            capture_names(item, parameters, inside);
        }
    }
    if (piece.is != datum::kind::symbol ||
        std::ranges::any_of(parameters, [&](const datum &name) { return name.symbol == piece.symbol; }) ||
        std::ranges::any_of(inside.variables,
                            [&](const scope::variable &known) { return known.name == piece.symbol; })) {
        return;
    }
    if (const auto outside = inside.outer->find(piece.symbol)) {
        made_.capture(inside, piece.symbol, *outside);
    }
}

placement compiler::placement_of(const datum &head, scope &in) {
    placement found;
    const auto simple = [&](const datum &form) {
        const std::uint32_t where = expression(form, in);
        if (!made_.is_simple(where)) {
            refuse(form.where,
                   "a placement is made of constants, variables and arithmetic; give it a name with let");
        }
        return static_cast<std::int32_t>(where);
    };
    if (!head.tile.empty()) {
        found.tile = simple(head.tile[0]);
    }
    if (!head.rank.empty()) {
        const auto named = policy_of(head.rank[0], in);
        found.by = named.value_or(policy::none);
        found.rank = named ? -1 : simple(head.rank[0]);
    }
    if (!head.priority.empty()) {
        found.priority = simple(head.priority[0]);
    }
    return found;
}

std::optional<policy> compiler::policy_of(const datum &form, const scope &in) const {
    static const std::map<std::string, policy, std::less<>> names{{"here", policy::here},
                                                                  {"round-robin", policy::round_robin},
                                                                  {"least-loaded", policy::least_loaded},
                                                                  {"owner", policy::owner},
                                                                  {"gateway", policy::gateway}};
    if (form.is != datum::kind::symbol || in.find(form.symbol)) {
        return std::nullopt;
    }
    const auto found = names.find(form.symbol);
    if (found == names.end()) {
        refuse(form.where, "'" + form.symbol +
                               "' is no variable and no policy: here, round-robin, least-loaded, owner "
                               "or gateway was expected");
    }
    return found->second;
}

void compiler::check_name(const datum &name) const {
    if (name.is != datum::kind::symbol || !name.tile.empty() || !name.rank.empty() ||
        !name.priority.empty()) {
        refuse(name.where, "a name was expected here");
    }
}

void compiler::check_count(const datum &form, std::size_t wanted) const {
    const std::size_t given = form.items.size() - 1;
    if (given != wanted) {
        refuse(form.where, "'" + form.items[0].symbol + "' wants " + count_text(wanted, wanted) + ", not " +
                               std::to_string(given));
    }
}

void compiler::wants(const datum &form, std::size_t least, std::size_t most, const std::string &shape) const {
    const std::size_t given = form.items.size() - 1;
    if (given < least || given > most) {
        refuse(form.where, "'" + form.items[0].symbol + "' wants " + shape);
    }
}

void compiler::refuse(place where, const std::string &message) const {
    throw program_error{program_.file, where, message};
}

code compile(const source &program, const registry &kernels) {
    return compiler{program, kernels}.compile();
}

} // namespace lisle::tasks
