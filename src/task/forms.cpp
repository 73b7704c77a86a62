// SPDX-License-Identifier: Apache-2.0
// The forms of the language, each with the shape it wants.
#include "task/compiler.hpp"

#include "task/builtin.hpp"
#include "task/rewriting.hpp"

namespace lisle::tasks {

namespace {

const datum &unquoted(const datum &form) {
    return form.is_form("quote") && form.items.size() == 2 ? form.items[1] : form;
}

} // namespace

const std::map<std::string, compiler::form_compiler, std::less<>> &compiler::forms() {
    static const std::map<std::string, form_compiler, std::less<>> names{
        {"par", &compiler::par},         {"begin", &compiler::par},
        {"seq", &compiler::seq},         {"if", &compiler::choose},
        {"cond", &compiler::cond},       {"and", &compiler::both},
        {"or", &compiler::either},       {"let", &compiler::let},
        {"lambda", &compiler::lambda},   {"apply", &compiler::apply},
        {"quote", &compiler::quote},     {"run", &compiler::run},
        {"map", &compiler::map},         {"fold", &compiler::fold},
        {"par-for", &compiler::par_for}, {"par-for-chunks", &compiler::par_for_chunks},
        {"assign", &compiler::assign},   {"read", &compiler::read},
        {"buf", &compiler::buffer},      {"put", &compiler::put},
        {"close", &compiler::close},     {"stream", &compiler::stream},
        {"print", &compiler::print},     {"define", &compiler::misplaced_define},
    };
    return names;
}

std::uint32_t compiler::misplaced_define(const datum &form, scope &) {
    refuse(form.where, "define stands at the top of a program only; inside an expression use let or lambda");
}

std::uint32_t compiler::par(const datum &form, scope &in) {
    return body(form, 1, in);
}

std::uint32_t compiler::seq(const datum &form, scope &in) {
    wants(form, 1, any_number, "(seq expression ...)");
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 1; i < form.items.size(); ++i) {
        steps.push_back(expression(unquoted(form.items[i]), in));
    }
    return made_.add(op::seq, form.where, steps, in);
}

std::uint32_t compiler::choose(const datum &form, scope &in) {
    wants(form, 2, 3, "(if condition then else)");
    std::vector<std::uint32_t> parts{expression(form.items[1], in), expression(unquoted(form.items[2]), in)};
    parts.push_back(form.items.size() == 4 ? expression(unquoted(form.items[3]), in)
                                           : made_.add_constant({}, form.where, in));
    return made_.add(op::choose, form.where, parts, in);
}

std::uint32_t compiler::cond(const datum &form, scope &in) {
    wants(form, 1, any_number, "(cond (condition value) ... (else value))");
    for (std::size_t i = 1; i < form.items.size(); ++i) {
        const datum &pair = form.items[i];
        if (pair.is != datum::kind::list || pair.items.size() != 2) {
            refuse(pair.where, "cond wants pairs: (condition value)");
        }
    }
    return expression(without_cond(form), in);
}

std::uint32_t compiler::both(const datum &form, scope &in) {
    return chain(form, in, true);
}

std::uint32_t compiler::either(const datum &form, scope &in) {
    return chain(form, in, false);
}

std::uint32_t compiler::chain(const datum &form, scope &in, bool all) {
    wants(form, 1, any_number, all ? "(and condition ...)" : "(or condition ...)");
    std::uint32_t rest = expression(form.items.back(), in);
    for (std::size_t i = form.items.size() - 2; i >= 1; --i) {
        const std::uint32_t condition = expression(form.items[i], in);
        const std::uint32_t known = made_.add_constant(!all, form.where, in);
        rest = all ? made_.add(op::choose, form.where, {condition, rest, known}, in)
                   : made_.add(op::choose, form.where, {condition, known, rest}, in);
    }
    return rest;
}

std::uint32_t compiler::let(const datum &form, scope &in) {
    wants(form, 2, any_number, "(let ((name value) ...) body)");
    if (form.items[1].is != datum::kind::list) {
        refuse(form.items[1].where,
               "let wants a list of variables: ((name value) ...) or, to be assigned, (name ...)");
    }
    std::vector<std::uint32_t> parts;
    std::vector<const datum *> names;
    for (const datum &binding : form.items[1].items) {
        const bool has_value = binding.is == datum::kind::list;
        if (has_value && binding.items.size() != 2) {
            refuse(binding.where,
                   "a variable of let is (name value), or a name alone that is assigned later");
        }
        names.push_back(has_value ? &binding.items[0] : &binding);
        check_name(*names.back());
        for (std::size_t i = 0; i + 1 < names.size(); ++i) {
            if (names[i]->symbol == names.back()->symbol) {
                refuse(binding.where, "variable '" + names.back()->symbol + "' stands twice in one let");
            }
        }
        parts.push_back(has_value ? expression(binding.items[1], in)
                                  : made_.add(op::fresh_cell, binding.where, {}, in));
    }
    const std::size_t before = in.variables.size();
    const std::uint32_t first_slot = made_.function(in.function).frame;
    for (const datum *each : names) {
        made_.add_variable(in, each->symbol);
    }
    const auto bound = static_cast<std::uint32_t>(parts.size());
    parts.push_back(body(form, 2, in));
    in.variables.resize(before);
    return made_.add(op::let, form.where, parts, in, first_slot, bound);
}

std::uint32_t compiler::lambda(const datum &form, scope &in) {
    wants(form, 2, any_number, "(lambda (parameter ...) body)");
    if (form.items[1].is != datum::kind::list) {
        refuse(form.items[1].where, "lambda wants a list of parameters: (lambda (x y) (+ x y))");
    }
    return closure(form.items[1].items, form, 2, in);
}

std::uint32_t compiler::apply(const datum &form, scope &in) {
    wants(form, 1, any_number, "(apply function argument ...)");
    return made_.add(op::apply, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::quote(const datum &form, scope &in) {
    wants(form, 1, 1, "(quote expression)");
    return closure({}, form, 1, in);
}

std::uint32_t compiler::run(const datum &form, scope &in) {
    wants(form, 1, 2, "(run 'expression) or (run 'expression tile)");
    datum head = form.items[0];
    if (form.items.size() == 3) { // (run 'expression tile) is (run[tile] 'expression)
        head.tile = {form.items[2]};
    }
    const placement where = placement_of(head, in);
    const std::uint32_t made = made_.add(op::run, form.where, {expression(form.items[1], in)}, in);
    made_.put_at(made, where);
    return made;
}

std::uint32_t compiler::map(const datum &form, scope &in) {
    wants(form, 2, 2, "(map function sequence)");
    return made_.add(op::map, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::fold(const datum &form, scope &in) {
    wants(form, 2, 2, "(fold function sequence)");
    return made_.add(op::fold, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::par_for(const datum &form, scope &in) {
    wants(form, 4, any_number, "(par-for index first end body)");
    check_name(form.items[1]);
    const std::uint32_t each = closure({form.items[1]}, form, 4, in);
    const std::uint32_t first = expression(form.items[2], in), end = expression(form.items[3], in);
    const std::uint32_t range = made_.add(op::builtin, form.where, {first, end}, in,
                                          static_cast<std::uint32_t>(find_builtin("range")));
    return made_.add(op::each, form.where, {each, range}, in);
}

std::uint32_t compiler::par_for_chunks(const datum &form, scope &in) {
    wants(form, 5, any_number, "(par-for-chunks (begin end) first stop chunks body)");
    if (form.items[1].is != datum::kind::list || form.items[1].items.size() != 2) {
        refuse(form.items[1].where, "par-for-chunks wants the names of a chunk's begin and end: (begin end)");
    }
    return expression(without_chunks(form), in);
}

std::uint32_t compiler::assign(const datum &form, scope &in) {
    wants(form, 2, 2, "(assign variable value)");
    return made_.add(op::assign, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::read(const datum &form, scope &in) {
    wants(form, 1, 1, "(read variable)");
    return made_.add(op::read, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::buffer(const datum &form, scope &in) {
    wants(form, 0, 1, "(buf) or (buf list)");
    return made_.add(op::fresh_buffer, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::put(const datum &form, scope &in) {
    wants(form, 2, 2, "(put buffer value)");
    return made_.add(op::put, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::close(const datum &form, scope &in) {
    wants(form, 1, 1, "(close buffer)");
    return made_.add(op::close, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::stream(const datum &form, scope &in) {
    wants(form, 1, 1, "(stream buffer)");
    return made_.add(op::stream, form.where, expressions(form, 1, in), in);
}

std::uint32_t compiler::print(const datum &form, scope &in) {
    const std::uint32_t made = made_.add(op::print, form.where, expressions(form, 1, in), in);
    made_.put_at(made, {.by = policy::gateway});
    return made;
}

} // namespace lisle::tasks
