// SPDX-License-Identifier: Apache-2.0
// Data to code: names become slots, functions and methods; arguments are counted and constants checked.
#include "task/code.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "task/builtin.hpp"

namespace lisle::tasks {

namespace {

class compiler {
  public:
    compiler(const source &program, const registry &kernels) : program_{program}, kernels_{kernels} {
        made_.file = program.file;
    }

    code compile() {
        made_.functions.push_back({"the program", 0, 0, 0, 0});
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
        compile_main();
        find_slots();
        made_.hash = hash();
        return std::move(made_);
    }

  private:
    struct variable {
        std::string name;
        std::uint32_t slot;
    };
    struct scope { // one for each function that is being compiled
        std::uint32_t function;
        std::vector<variable> variables;
        scope *outer;
        std::vector<std::uint32_t>
            captured_from; ///< slots of the outer frame, in the order of captured slots
    };

    void declare(const datum &form) {
        if (form.items.size() < 3 || form.items[1].is != datum::kind::list || form.items[1].items.empty()) {
            refuse(form.where,
                   "define wants (define (name parameter ...) body), as in (define (twice x) (* 2 x))");
        }
        const auto &head = form.items[1].items;
        for (const datum &name : head) {
            check_name(name);
        }
        if (form_names().contains(head[0].symbol) || find_builtin(head[0].symbol) >= 0) {
            refuse(head[0].where,
                   "'" + head[0].symbol + "' is part of the language and cannot be defined again");
        }
        const auto index = static_cast<std::uint32_t>(made_.functions.size());
        if (!functions_.emplace(head[0].symbol, index).second) {
            refuse(head[0].where, "function '" + head[0].symbol + "' is defined twice");
        }
        made_.functions.push_back({head[0].symbol, 0, static_cast<std::uint32_t>(head.size() - 1), 0, 0});
    }

    void define(const datum &form) {
        const auto &head = form.items[1].items;
        scope inside{functions_.at(head[0].symbol), {}, nullptr, {}};
        for (std::size_t i = 1; i < head.size(); ++i) {
            add_variable(inside, head[i]);
        }
        made_.functions[inside.function].body = body(form, 2, inside);
    }

    void compile_main() {
        scope top{0, {}, nullptr, {}};
        std::vector<std::uint32_t> steps;
        for (const datum &form : program_.forms) {
            if (!form.is_form("define")) {
                steps.push_back(expression(form, top));
            }
        }
        if (steps.empty()) {
            refuse({1, 1}, "the program has no expression to evaluate");
        }
        made_.functions[0].body =
            steps.size() == 1 ? steps[0] : add(op::seq, program_.forms[0].where, steps, top);
    }

    std::uint32_t expression(const datum &form, scope &in) {
        switch (form.is) {
        case datum::kind::constant:
            return constant(form.constant, form.where, in);
        case datum::kind::symbol:
            return name(form, in);
        case datum::kind::list:
            break;
        }
        if (form.items.empty()) {
            return constant({}, form.where, in);
        }
        const placement where = placement_of(form.items[0], in);
        const std::uint32_t made = list(form, in);
        place_it(made, where);
        return made;
    }

    std::uint32_t name(const datum &form, scope &in) {
        if (const auto slot = lookup(form.symbol, in)) {
            return add(op::local, form.where, {}, in, *slot);
        }
        if (const auto function = functions_.find(form.symbol); function != functions_.end()) {
            return add(op::lambda, form.where, {}, in, function->second);
        }
        if (find_builtin(form.symbol) >= 0 || kernels_.find(form.symbol) >= 0) {
            return wrapped(form, in);
        }
        refuse(form.where, "'" + form.symbol + "' is no variable, function or kernel.method here");
    }

    // A built-in function or a method as a value: (lambda (x ...) (name x ...)), of two parameters where the
    // number is free, as fold wants.
    std::uint32_t wrapped(const datum &form, scope &in) {
        const int method = kernels_.find(form.symbol), built_in = find_builtin(form.symbol);
        std::size_t arity = method >= 0 ? kernels_.at(static_cast<std::size_t>(method)).arity() : 2;
        if (built_in >= 0) {
            const auto &entry = builtins()[static_cast<std::size_t>(built_in)];
            arity = entry.most == any_number ? 2 : entry.most;
        }
        std::vector<datum> parameters, call{form};
        for (std::size_t i = 0; i < arity; ++i) {
            parameters.push_back(datum::of_symbol("%" + std::to_string(i), form.where));
            call.push_back(parameters.back());
        }
        return expression(
            datum::of_list({datum::of_symbol("lambda", form.where), datum::of_list(parameters, form.where),
                            datum::of_list(call, form.where)},
                           form.where),
            in);
    }

    std::uint32_t list(const datum &form, scope &in) {
        const datum &head = form.items[0];
        if (head.is == datum::kind::constant) {
            refuse(head.where, "a function was expected here, not " + kind_name(head.constant));
        }
        if (head.is == datum::kind::symbol && !lookup(head.symbol, in)) {
            if (const auto special = form_names().find(head.symbol); special != form_names().end()) {
                return (this->*special->second)(form, in);
            }
            if (const int built_in = find_builtin(head.symbol); built_in >= 0) {
                return built_in_call(static_cast<std::uint32_t>(built_in), form, in);
            }
            if (const auto function = functions_.find(head.symbol); function != functions_.end()) {
                check_count(form, made_.functions[function->second].parameters);
                return add(op::call, form.where, expressions(form, 1, in), in, function->second);
            }
            if (const int method = kernels_.find(head.symbol); method >= 0) {
                return kernel_call(static_cast<std::uint32_t>(method), form, in);
            }
            refuse(head.where, "'" + head.symbol + "' is no function, kernel.method or form of the language");
        }
        return add(op::apply, form.where, expressions(form, 0, in), in);
    }

    std::uint32_t built_in_call(std::uint32_t index, const datum &form, scope &in) {
        const builtin &called = builtins()[index];
        const std::size_t given = form.items.size() - 1;
        if (given < called.least || given > called.most) {
            refuse(form.where, "'" + std::string{called.name} + "' wants " +
                                   count_text(called.least, called.most) + ", not " + std::to_string(given));
        }
        const auto quick = given == 2 ? called.quick : short_cut::none;
        return add(op::builtin, form.where, expressions(form, 1, in), in, index,
                   static_cast<std::uint32_t>(quick));
    }

    std::uint32_t kernel_call(std::uint32_t index, const datum &form, scope &in) {
        check_count(form, kernels_.at(index).arity());
        return add(op::kernel, form.where, expressions(form, 1, in), in, index);
    }

    // The forms of the language.
    using form_compiler = std::uint32_t (compiler::*)(const datum &, scope &);
    static const std::map<std::string, form_compiler, std::less<>> &form_names() {
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

    std::uint32_t misplaced_define(const datum &form, scope &) {
        refuse(form.where,
               "define stands at the top of a program only; inside an expression use let or lambda");
    }
    std::uint32_t par(const datum &form, scope &in) { return body(form, 1, in); }
    std::uint32_t seq(const datum &form, scope &in) {
        wants(form, 1, any_number, "(seq expression ...)");
        std::vector<std::uint32_t> steps;
        for (std::size_t i = 1; i < form.items.size(); ++i) {
            steps.push_back(expression(unquoted(form.items[i]), in));
        }
        return add(op::seq, form.where, steps, in);
    }
    std::uint32_t choose(const datum &form, scope &in) {
        wants(form, 2, 3, "(if condition then else)");
        std::vector<std::uint32_t> parts{expression(form.items[1], in),
                                         expression(unquoted(form.items[2]), in)};
        parts.push_back(form.items.size() == 4 ? expression(unquoted(form.items[3]), in)
                                               : constant({}, form.where, in));
        return add(op::choose, form.where, parts, in);
    }
    std::uint32_t cond(const datum &form, scope &in) {
        wants(form, 1, any_number, "(cond (condition value) ... (else value))");
        datum rest = datum::of_list({}, form.where);
        for (std::size_t i = form.items.size() - 1; i >= 1; --i) {
            const datum &pair = form.items[i];
            if (pair.is != datum::kind::list || pair.items.size() != 2) {
                refuse(pair.where, "cond wants pairs: (condition value)");
            }
            rest = pair.items[0].is_symbol("else")
                       ? pair.items[1]
                       : datum::of_list({datum::of_symbol("if"), pair.items[0], pair.items[1], rest},
                                        pair.where);
        }
        return expression(rest, in);
    }
    std::uint32_t both(const datum &form, scope &in) { return chain(form, in, true); }
    std::uint32_t either(const datum &form, scope &in) { return chain(form, in, false); }
    std::uint32_t chain(const datum &form, scope &in, bool all) {
        wants(form, 1, any_number, all ? "(and condition ...)" : "(or condition ...)");
        std::uint32_t rest = expression(form.items.back(), in);
        for (std::size_t i = form.items.size() - 2; i >= 1; --i) {
            const std::uint32_t condition = expression(form.items[i], in);
            const std::uint32_t known = constant(!all, form.where, in);
            rest = all ? add(op::choose, form.where, {condition, rest, known}, in)
                       : add(op::choose, form.where, {condition, known, rest}, in);
        }
        return rest;
    }

    std::uint32_t let(const datum &form, scope &in) {
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
                                      : add(op::fresh_cell, binding.where, {}, in));
        }
        const std::size_t before = in.variables.size();
        const std::uint32_t first_slot = made_.functions[in.function].frame;
        for (const datum *each : names) {
            add_variable(in, *each);
        }
        const auto bound = static_cast<std::uint32_t>(parts.size());
        parts.push_back(body(form, 2, in));
        in.variables.resize(before);
        return add(op::let, form.where, parts, in, first_slot, bound);
    }

    std::uint32_t lambda(const datum &form, scope &in) {
        wants(form, 2, any_number, "(lambda (parameter ...) body)");
        if (form.items[1].is != datum::kind::list) {
            refuse(form.items[1].where, "lambda wants a list of parameters: (lambda (x y) (+ x y))");
        }
        return closure(form.items[1].items, form, 2, in);
    }

    // A function inside a function. The captured values come first in its frame, then the parameters.
    std::uint32_t closure(const std::vector<datum> &parameters, const datum &form, std::size_t first,
                          scope &in) {
        const auto index = static_cast<std::uint32_t>(made_.functions.size());
        made_.functions.push_back({"a function", 0, static_cast<std::uint32_t>(parameters.size()), 0, 0});
        scope inside{index, {}, &in, {}};
        collect_captures(form, first, parameters, inside);
        for (const datum &parameter : parameters) {
            check_name(parameter);
            add_variable(inside, parameter);
        }
        const std::uint32_t result = body(form, first, inside);
        made_.functions[index].body = result;
        const std::uint32_t made = add(op::lambda, form.where, {}, in, index);
        made_.nodes[made].captures_first = static_cast<std::uint32_t>(made_.slots.size());
        made_.nodes[made].captures_count = made_.functions[index].captured;
        made_.slots.insert(made_.slots.end(), inside.captured_from.begin(), inside.captured_from.end());
        return made;
    }

    // Every name in the body that is a variable outside gets a slot, also those that an inner let hides: a
    // value too much is captured then, which costs a copy and changes nothing.
    void collect_captures(const datum &form, std::size_t first, const std::vector<datum> &parameters,
                          scope &inside) {
        for (std::size_t i = first; i < form.items.size(); ++i) {
            capture_names(form.items[i], parameters, inside);
        }
    }
    void capture_names(const datum &piece, const std::vector<datum> &parameters, scope &inside) {
        for (const auto *part : {&piece.items, &piece.tile, &piece.rank}) {
            for (const datum &item : *part) {
                capture_names(item, parameters, inside);
            }
        }
        if (piece.is != datum::kind::symbol ||
            std::ranges::any_of(parameters, [&](const datum &name) { return name.symbol == piece.symbol; }) ||
            std::ranges::any_of(inside.variables,
                                [&](const variable &known) { return known.name == piece.symbol; })) {
            return;
        }
        if (const auto outside = lookup(piece.symbol, *inside.outer)) {
            inside.captured_from.push_back(*outside);
            add_variable(inside, piece);
            ++made_.functions[inside.function].captured;
        }
    }

    std::uint32_t apply(const datum &form, scope &in) {
        wants(form, 1, any_number, "(apply function argument ...)");
        return add(op::apply, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t quote(const datum &form, scope &in) {
        wants(form, 1, 1, "(quote expression)");
        return closure({}, form, 1, in);
    }
    std::uint32_t run(const datum &form, scope &in) {
        wants(form, 1, 2, "(run 'expression) or (run 'expression tile)");
        datum head = form.items[0];
        if (form.items.size() == 3) { // (run 'expression tile) is (run[tile] 'expression)
            head.tile = {form.items[2]};
        }
        const placement where = placement_of(head, in);
        const std::uint32_t made = add(op::run, form.where, {expression(form.items[1], in)}, in);
        place_it(made, where);
        return made;
    }
    std::uint32_t map(const datum &form, scope &in) {
        wants(form, 2, 2, "(map function sequence)");
        return add(op::map, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t fold(const datum &form, scope &in) {
        wants(form, 2, 2, "(fold function sequence)");
        return add(op::fold, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t par_for(const datum &form, scope &in) {
        wants(form, 4, any_number, "(par-for index first end body)");
        check_name(form.items[1]);
        const std::uint32_t each = closure({form.items[1]}, form, 4, in);
        return add(op::each, form.where, {each, range_of(form, 2, in)}, in);
    }
    // (par-for-chunks (begin end) first stop chunks body): chunk k of n goes from first + k*(stop-first)/n.
    std::uint32_t par_for_chunks(const datum &form, scope &in) {
        wants(form, 5, any_number, "(par-for-chunks (begin end) first stop chunks body)");
        if (form.items[1].is != datum::kind::list || form.items[1].items.size() != 2) {
            refuse(form.items[1].where,
                   "par-for-chunks wants the names of a chunk's begin and end: (begin end)");
        }
        const place where = form.where;
        const auto symbol = [&](const char *name) { return datum::of_symbol(name, where); };
        const auto bound = [&](datum chunk) {
            return datum::of_list(
                {symbol("+"), symbol("%first"),
                 datum::of_list(
                     {symbol("div"),
                      datum::of_list(
                          {symbol("*"), std::move(chunk),
                           datum::of_list({symbol("-"), symbol("%stop"), symbol("%first")}, where)},
                          where),
                      symbol("%chunks")},
                     where)},
                where);
        };
        const datum next = datum::of_list({symbol("+"), symbol("%chunk"), datum::of_constant(1)}, where);
        std::vector<datum> inner{
            symbol("let"),
            datum::of_list({datum::of_list({form.items[1].items[0], bound(symbol("%chunk"))}, where),
                            datum::of_list({form.items[1].items[1], bound(next)}, where)},
                           where)};
        inner.insert(inner.end(), form.items.begin() + 5, form.items.end());
        const datum loop = datum::of_list({symbol("par-for"), symbol("%chunk"), datum::of_constant(0),
                                           symbol("%chunks"), datum::of_list(inner, where)},
                                          where);
        return expression(
            datum::of_list({symbol("let"),
                            datum::of_list({datum::of_list({symbol("%first"), form.items[2]}, where),
                                            datum::of_list({symbol("%stop"), form.items[3]}, where),
                                            datum::of_list({symbol("%chunks"), form.items[4]}, where)},
                                           where),
                            loop},
                           where),
            in);
    }
    std::uint32_t range_of(const datum &form, std::size_t first, scope &in) {
        return add(op::builtin, form.where,
                   {expression(form.items[first], in), expression(form.items[first + 1], in)}, in,
                   static_cast<std::uint32_t>(find_builtin("range")));
    }
    std::uint32_t assign(const datum &form, scope &in) {
        wants(form, 2, 2, "(assign variable value)");
        return add(op::assign, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t read(const datum &form, scope &in) {
        wants(form, 1, 1, "(read variable)");
        return add(op::read, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t buffer(const datum &form, scope &in) {
        wants(form, 0, 1, "(buf) or (buf list)");
        return add(op::fresh_buffer, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t put(const datum &form, scope &in) {
        wants(form, 2, 2, "(put buffer value)");
        return add(op::put, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t close(const datum &form, scope &in) {
        wants(form, 1, 1, "(close buffer)");
        return add(op::close, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t stream(const datum &form, scope &in) {
        wants(form, 1, 1, "(stream buffer)");
        return add(op::stream, form.where, expressions(form, 1, in), in);
    }
    std::uint32_t print(const datum &form, scope &in) {
        const std::uint32_t made = add(op::print, form.where, expressions(form, 1, in), in);
        place_it(made, {.by = policy::gateway});
        return made;
    }

    // Several expressions, at once; the value of the last.
    std::uint32_t body(const datum &form, std::size_t first, scope &in) {
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
        return add(op::par, form.where, parts, in);
    }
    static const datum &unquoted(const datum &form) {
        return form.is_form("quote") && form.items.size() == 2 ? form.items[1] : form;
    }

    std::vector<std::uint32_t> expressions(const datum &form, std::size_t first, scope &in) {
        std::vector<std::uint32_t> all;
        for (std::size_t i = first; i < form.items.size(); ++i) {
            all.push_back(expression(form.items[i], in));
        }
        return all;
    }

    struct placement {
        std::int32_t tile = -1, rank = -1;
        policy by = policy::none;
    };
    // Compiled before what it places: children have lower numbers than their parents.
    placement placement_of(const datum &head, scope &in) {
        placement found;
        const auto simple = [&](const datum &form) {
            const std::uint32_t where = expression(form, in);
            if (!made_.nodes[where].is_simple) {
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
        return found;
    }
    void place_it(std::uint32_t made, const placement &where) {
        node &placed = made_.nodes[made]; // which may have a place by its nature, as print has
        placed.tile = where.tile >= 0 ? where.tile : placed.tile;
        placed.rank = where.rank >= 0 ? where.rank : placed.rank;
        placed.placed_by = where.by != policy::none ? where.by : placed.placed_by;
        placed.is_placed = placed.tile >= 0 || placed.rank >= 0 || placed.placed_by != policy::none;
        placed.is_simple = placed.is_simple && !placed.is_placed;
    }
    std::optional<policy> policy_of(const datum &form, scope &in) const {
        static const std::map<std::string, policy, std::less<>> names{{"here", policy::here},
                                                                      {"round-robin", policy::round_robin},
                                                                      {"least-loaded", policy::least_loaded},
                                                                      {"owner", policy::owner},
                                                                      {"gateway", policy::gateway}};
        if (form.is != datum::kind::symbol || lookup_const(form.symbol, in)) {
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

    std::uint32_t constant(value given, place where, scope &in) {
        made_.constants.push_back(std::move(given));
        return add(op::constant, where, {}, in, static_cast<std::uint32_t>(made_.constants.size() - 1));
    }

    std::uint32_t add(op what, place where, const std::vector<std::uint32_t> &children, const scope &in,
                      std::uint32_t a = 0, std::uint32_t b = 0) {
        node made;
        made.what = what;
        made.first = static_cast<std::uint32_t>(made_.children.size());
        made.count = static_cast<std::uint32_t>(children.size());
        made.a = a;
        made.b = b;
        made.function = in.function;
        made.where = where;
        const bool may_be_simple = what == op::constant || what == op::local || what == op::lambda ||
                                   (what == op::builtin && children.size() <= most_simple);
        made.is_simple = may_be_simple && std::ranges::all_of(children, [&](std::uint32_t child) {
                             return made_.nodes[child].is_simple;
                         });
        const std::size_t arguments = what == op::let ? b : children.size(); // the body comes after them
        made.waits_for = static_cast<std::uint32_t>(
            std::ranges::count_if(std::span{children}.first(arguments),
                                  [&](std::uint32_t child) { return !made_.nodes[child].is_simple; }));
        if (what == op::builtin && static_cast<short_cut>(b) != short_cut::none) {
            const node &left = made_.nodes[children[0]], &right = made_.nodes[children[1]];
            made.is_quick = is_operand(left) && is_operand(right);
            made.left = operand(left);
            made.right = operand(right);
        }
        made_.children.insert(made_.children.end(), children.begin(), children.end());
        made_.nodes.push_back(made);
        return static_cast<std::uint32_t>(made_.nodes.size() - 1);
    }

    static bool is_operand(const node &child) noexcept {
        return child.what == op::local || child.what == op::constant;
    }
    static std::int32_t operand(const node &child) noexcept {
        const auto number = static_cast<std::int32_t>(child.a);
        return child.what == op::constant ? ~number : number;
    }

    void add_variable(scope &in, const datum &name) {
        auto &frame = made_.functions[in.function].frame;
        in.variables.push_back({name.symbol, frame++});
    }
    std::optional<std::uint32_t> lookup(const std::string &name, scope &in) { return lookup_const(name, in); }
    static std::optional<std::uint32_t> lookup_const(const std::string &name, const scope &in) {
        for (auto known = in.variables.rbegin(); known != in.variables.rend(); ++known) {
            if (known->name == name) {
                return known->slot;
            }
        }
        return std::nullopt;
    }

    void check_name(const datum &name) const {
        if (name.is != datum::kind::symbol || !name.tile.empty() || !name.rank.empty()) {
            refuse(name.where, "a name was expected here");
        }
    }
    void check_count(const datum &form, std::size_t wanted) const {
        const std::size_t given = form.items.size() - 1;
        if (given != wanted) {
            refuse(form.where, "'" + form.items[0].symbol + "' wants " + count_text(wanted, wanted) +
                                   ", not " + std::to_string(given));
        }
    }
    void wants(const datum &form, std::size_t least, std::size_t most, const std::string &shape) const {
        const std::size_t given = form.items.size() - 1;
        if (given < least || given > most) {
            refuse(form.where, "'" + form.items[0].symbol + "' wants " + shape);
        }
    }
    static std::string count_text(std::size_t least, std::size_t most) {
        const auto named = [](std::size_t n) {
            return std::to_string(n) + (n == 1 ? " argument" : " arguments");
        };
        return least == most        ? named(least)
               : most == any_number ? "at least " + named(least)
                                    : std::to_string(least) + " to " + named(most);
    }
    [[noreturn]] void refuse(place where, const std::string &message) const {
        throw program_error{program_.file, where, message};
    }

    // Which slots each expression uses: those are what travels with it. Children come before their parents.
    void find_slots() {
        std::vector<std::vector<std::uint32_t>> used(made_.nodes.size());
        for (std::size_t i = 0; i < made_.nodes.size(); ++i) {
            node &each = made_.nodes[i];
            auto &mine = used[i];
            if (each.what == op::local) {
                mine.push_back(each.a);
            }
            const auto captures = made_.captures_of(each);
            mine.insert(mine.end(), captures.begin(), captures.end());
            for (const std::uint32_t child : made_.children_of(each)) {
                mine.insert(mine.end(), used[child].begin(), used[child].end());
            }
            for (const std::int32_t where : {each.tile, each.rank}) {
                if (where >= 0) {
                    const auto &theirs = used[static_cast<std::size_t>(where)];
                    mine.insert(mine.end(), theirs.begin(), theirs.end());
                }
            }
            if (each.what == op::let) {
                std::erase_if(mine,
                              [&](std::uint32_t slot) { return slot >= each.a && slot < each.a + each.b; });
            }
            std::ranges::sort(mine);
            mine.erase(std::ranges::unique(mine).begin(), mine.end());
            each.slots_first = static_cast<std::uint32_t>(made_.slots.size());
            each.slots_count = static_cast<std::uint32_t>(mine.size());
            made_.slots.insert(made_.slots.end(), mine.begin(), mine.end());
        }
    }

    [[nodiscard]] std::uint64_t hash() const {
        std::string all;
        for (const datum &form : program_.forms) {
            all += to_string(form);
        }
        return hash_of(all, kernels_.hash() + made_.nodes.size());
    }

    const source &program_;
    const registry &kernels_;
    std::map<std::string, std::uint32_t, std::less<>> functions_;
    code made_;
};

} // namespace

code compile(const source &program, const registry &kernels) {
    return compiler{program, kernels}.compile();
}

} // namespace lisle::tasks
