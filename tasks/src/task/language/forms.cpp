// SPDX-License-Identifier: Apache-2.0
// The forms of the language, each with the shape it wants.
#include "task/language/compiler.hpp"

#include "task/language/builtin.hpp"
#include "task/language/rewriting.hpp"

namespace lisle::tasks {

namespace {

const datum &unquoted(const datum &form) {
    return form.is_form("quote") && form.items.size() == 2 ? form.items[1] : form;
}

// In a namespace of their own: the C++ interface has functions of the same names.
namespace form {

std::uint32_t misplaced_define(compiler &by, const datum &form, scope &) {
    by.refuse(form.where,
              "define stands at the top of a program only; inside an expression use let or lambda");
}

std::uint32_t par(compiler &by, const datum &form, scope &in) {
    return by.body(form, 1, in);
}

std::uint32_t seq(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, any_number, "(seq expression ...)");
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 1; i < form.items.size(); ++i) {
        steps.push_back(by.expression(unquoted(form.items[i]), in));
    }
    return by.made().add(op::seq, form.where, steps, in);
}

std::uint32_t choose(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, 3, "(if condition then else)");
    std::vector<std::uint32_t> parts{by.expression(form.items[1], in),
                                     by.expression(unquoted(form.items[2]), in)};
    parts.push_back(form.items.size() == 4 ? by.expression(unquoted(form.items[3]), in)
                                           : by.made().add_constant({}, form.where, in));
    return by.made().add(op::choose, form.where, parts, in);
}

std::uint32_t cond(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, any_number, "(cond (condition value) ... (else value))");
    for (std::size_t i = 1; i < form.items.size(); ++i) {
        const datum &pair = form.items[i];
        if (pair.is != datum::kind::list || pair.items.size() != 2) {
            by.refuse(pair.where, "cond wants pairs: (condition value)");
        }
    }
    return by.expression(without_cond(form), in);
}

std::uint32_t chain(compiler &by, const datum &form, scope &in, bool all) {
    by.wants(form, 1, any_number, all ? "(and condition ...)" : "(or condition ...)");
    std::uint32_t rest = by.expression(form.items.back(), in);
    for (std::size_t i = form.items.size() - 2; i >= 1; --i) {
        const std::uint32_t condition = by.expression(form.items[i], in);
        const std::uint32_t known = by.made().add_constant(!all, form.where, in);
        rest = all ? by.made().add(op::choose, form.where, {condition, rest, known}, in)
                   : by.made().add(op::choose, form.where, {condition, known, rest}, in);
    }
    return rest;
}

std::uint32_t both(compiler &by, const datum &form, scope &in) {
    return chain(by, form, in, true);
}

std::uint32_t either(compiler &by, const datum &form, scope &in) {
    return chain(by, form, in, false);
}

std::uint32_t let(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, any_number, "(let ((name value) ...) body)");
    if (form.items[1].is != datum::kind::list) {
        by.refuse(form.items[1].where,
                  "let wants a list of variables: ((name value) ...) or, to be assigned, (name ...)");
    }
    std::vector<std::uint32_t> parts;
    std::vector<const datum *> names;
    for (const datum &binding : form.items[1].items) {
        const bool has_value = binding.is == datum::kind::list;
        if (has_value && binding.items.size() != 2) {
            by.refuse(binding.where,
                      "a variable of let is (name value), or a name alone that is assigned later");
        }
        names.push_back(has_value ? binding.items.data() : &binding);
        by.check_name(*names.back());
        for (std::size_t i = 0; i + 1 < names.size(); ++i) {
            if (names[i]->symbol == names.back()->symbol) {
                by.refuse(binding.where, "variable '" + names.back()->symbol + "' stands twice in one let");
            }
        }
        parts.push_back(has_value ? by.expression(binding.items[1], in)
                                  : by.made().add(op::fresh_cell, binding.where, {}, in));
    }
    const std::size_t before = in.variables.size();
    const std::uint32_t first_slot = by.made().function(in.function).slots;
    for (const datum *each : names) {
        by.made().add_variable(in, each->symbol);
    }
    const auto bound = static_cast<std::uint32_t>(parts.size());
    parts.push_back(by.body(form, 2, in));
    in.variables.resize(before);
    return by.made().add(op::let, form.where, parts, in, first_slot, bound);
}

std::uint32_t lambda(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, any_number, "(lambda (parameter ...) body)");
    if (form.items[1].is != datum::kind::list) {
        by.refuse(form.items[1].where, "lambda wants a list of parameters: (lambda (x y) (+ x y))");
    }
    return by.closure(form.items[1].items, form, 2, in);
}

std::uint32_t apply(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, any_number, "(apply function argument ...)");
    return by.made().add(op::apply, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t quote(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 1, "(quote expression)");
    return by.closure({}, form, 1, in);
}

std::uint32_t run(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 2, "(run 'expression) or (run 'expression tile)");
    datum head = form.items[0];
    if (form.items.size() == 3) { // (run 'expression tile) is (run[tile] 'expression)
        head.tile = {form.items[2]};
    }
    const placement where = by.placement_of(head, in);
    const std::uint32_t made = by.made().add(op::run, form.where, {by.expression(form.items[1], in)}, in);
    by.made().put_at(made, where);
    return made;
}

std::uint32_t map(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, 2, "(map function sequence)");
    return by.made().add(op::map, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t fold(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, 2, "(fold function sequence)");
    return by.made().add(op::fold, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t par_for(compiler &by, const datum &form, scope &in) {
    by.wants(form, 4, any_number, "(par-for index first end body)");
    by.check_name(form.items[1]);
    const std::uint32_t each = by.closure({form.items[1]}, form, 4, in);
    const std::uint32_t first = by.expression(form.items[2], in), end = by.expression(form.items[3], in);
    const std::uint32_t range = by.made().add(op::builtin, form.where, {first, end}, in,
                                              static_cast<std::uint32_t>(find_builtin("range")));
    return by.made().add(op::each, form.where, {each, range}, in);
}

std::uint32_t for_in_turn(compiler &by, const datum &form, scope &in) {
    by.wants(form, 4, any_number, "(for index first end body)");
    by.check_name(form.items[1]);
    const std::uint32_t each = by.closure({form.items[1]}, with_body_in_turn(form, 4), 4, in);
    const std::uint32_t first = by.expression(form.items[2], in), end = by.expression(form.items[3], in);
    const std::uint32_t range = by.made().add(op::builtin, form.where, {first, end}, in,
                                              static_cast<std::uint32_t>(find_builtin("range")));
    return by.made().add(op::turns, form.where, {each, range}, in);
}

std::uint32_t block(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 1, "(block value)");
    if (form.items[1].is == datum::kind::list) { // computed wherever there is room, then kept at the gateway
        return by.expression(with_name(form, 1), in);
    }
    const std::uint32_t made = by.made().add(op::fresh_block, form.where, by.expressions(form, 1, in), in);
    by.made().put_at(made, {.by = policy::gateway});
    return made;
}

std::uint32_t update(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, any_number, "(update block function argument ...)");
    const std::uint32_t made = by.made().add(op::update, form.where, by.expressions(form, 1, in), in);
    by.made().put_at(made, {.by = policy::gateway});
    return made;
}

std::uint32_t par_for_chunks(compiler &by, const datum &form, scope &in) {
    by.wants(form, 5, any_number, "(par-for-chunks (begin end) first stop chunks body)");
    if (form.items[1].is != datum::kind::list || form.items[1].items.size() != 2) {
        by.refuse(form.items[1].where,
                  "par-for-chunks wants the names of a chunk's begin and end: (begin end)");
    }
    return by.expression(without_chunks(form), in);
}

std::uint32_t assign(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, 2, "(assign variable value)");
    return by.made().add(op::assign, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t read(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 1, "(read variable)");
    return by.made().add(op::read, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t buffer(compiler &by, const datum &form, scope &in) {
    by.wants(form, 0, 1, "(buf) or (buf list)");
    return by.made().add(op::fresh_buffer, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t put(compiler &by, const datum &form, scope &in) {
    by.wants(form, 2, 2, "(put buffer value)");
    return by.made().add(op::put, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t close(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 1, "(close buffer)");
    return by.made().add(op::close, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t stream(compiler &by, const datum &form, scope &in) {
    by.wants(form, 1, 1, "(stream buffer)");
    return by.made().add(op::stream, form.where, by.expressions(form, 1, in), in);
}

std::uint32_t print(compiler &by, const datum &form, scope &in) {
    const std::uint32_t made = by.made().add(op::print, form.where, by.expressions(form, 1, in), in);
    by.made().put_at(made, {.by = policy::gateway});
    return made;
}

} // namespace form

} // namespace

const std::map<std::string, form_compiler, std::less<>> &forms() {
    static const std::map<std::string, form_compiler, std::less<>> names{
        {"par", &form::par},         {"begin", &form::par},
        {"seq", &form::seq},         {"if", &form::choose},
        {"cond", &form::cond},       {"and", &form::both},
        {"or", &form::either},       {"let", &form::let},
        {"lambda", &form::lambda},   {"apply", &form::apply},
        {"quote", &form::quote},     {"run", &form::run},
        {"map", &form::map},         {"fold", &form::fold},
        {"par-for", &form::par_for}, {"par-for-chunks", &form::par_for_chunks},
        {"assign", &form::assign},   {"read", &form::read},
        {"buf", &form::buffer},      {"put", &form::put},
        {"close", &form::close},     {"stream", &form::stream},
        {"print", &form::print},     {"define", &form::misplaced_define},
        {"for", &form::for_in_turn}, {"block", &form::block},
        {"update", &form::update},
    };
    return names;
}

} // namespace lisle::tasks
