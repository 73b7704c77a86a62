// SPDX-License-Identifier: Apache-2.0
#include "task/language/rewriting.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lisle::tasks {

datum without_cond(const datum &form) {
    datum rest = datum::of_list({}, form.where);
    for (std::size_t i = form.items.size() - 1; i >= 1; --i) {
        const datum &pair = form.items[i];
        const datum &condition = pair.items[0], &chosen = pair.items[1];
        rest = condition.is_symbol("else")
                   ? chosen
                   : datum::of_list({datum::of_symbol("if"), condition, chosen, rest}, pair.where);
    }
    return rest;
}

datum without_chunks(const datum &form) {
    const place where = form.where;
    const auto symbol = [&](const char *name) { return datum::of_symbol(name, where); };
    const auto list = [&](std::vector<datum> items) { return datum::of_list(std::move(items), where); };
    const auto bound = [&](const datum &chunk) {
        return list({symbol("+"), symbol("%first"),
                     list({symbol("div"),
                           list({symbol("*"), chunk, list({symbol("-"), symbol("%stop"), symbol("%first")})}),
                           symbol("%chunks")})});
    };
    const datum next = list({symbol("+"), symbol("%chunk"), datum::of_constant(1)});
    const auto &names = form.items[1].items;
    std::vector<datum> inner{
        symbol("let"), list({list({names[0], bound(symbol("%chunk"))}), list({names[1], bound(next)})})};
    inner.insert(inner.end(), form.items.begin() + 5, form.items.end());
    const datum loop =
        list({symbol("par-for"), symbol("%chunk"), datum::of_constant(0), symbol("%chunks"), list(inner)});
    return list({symbol("let"),
                 list({list({symbol("%first"), form.items[2]}), list({symbol("%stop"), form.items[3]}),
                       list({symbol("%chunks"), form.items[4]})}),
                 loop});
}

datum with_name(const datum &form, std::size_t part) {
    const datum name = datum::of_symbol("%part", form.where);
    datum changed = form;
    changed.items[part] = name;
    const auto list = [&](std::vector<datum> items) { return datum::of_list(std::move(items), form.where); };
    return list({list({datum::of_symbol("lambda", form.where), list({name}), changed}), form.items[part]});
}

datum with_body_in_turn(const datum &form, std::size_t first) {
    datum changed = form;
    const auto from = changed.items.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<datum> body{datum::of_symbol("seq", form.where)};
    body.insert(body.end(), from, changed.items.end());
    changed.items.erase(from, changed.items.end());
    changed.items.push_back(datum::of_list(std::move(body), form.where));
    return changed;
}

datum as_lambda(const datum &name, std::size_t parameters) {
    std::vector<datum> names, call{name};
    for (std::size_t i = 0; i < parameters; ++i) {
        names.push_back(datum::of_symbol("%" + std::to_string(i), name.where));
        call.push_back(names.back());
    }
    return datum::of_list({datum::of_symbol("lambda", name.where), datum::of_list(names, name.where),
                           datum::of_list(call, name.where)},
                          name.where);
}

} // namespace lisle::tasks
