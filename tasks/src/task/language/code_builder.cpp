// SPDX-License-Identifier: Apache-2.0
#include "task/language/code_builder.hpp"

#include <algorithm>

#include "task/language/builtin.hpp"

namespace lisle::tasks {

namespace {

bool is_operand(const node &child) noexcept {
    return child.what == op::local || child.what == op::constant;
}

std::int32_t operand(const node &child) noexcept {
    const auto number = static_cast<std::int32_t>(child.a);
    return child.what == op::constant ? ~number : number;
}

} // namespace

std::optional<std::uint32_t> scope::find(const std::string &name) const {
    for (auto known = variables.rbegin(); known != variables.rend(); ++known) {
        if (known->name == name) {
            return known->slot;
        }
    }
    return std::nullopt;
}

std::uint32_t code_builder::add_function(std::string name, std::size_t parameters) {
    made_.functions.push_back({std::move(name), 0, static_cast<std::uint32_t>(parameters), 0, 0, {}});
    return static_cast<std::uint32_t>(made_.functions.size() - 1);
}

void code_builder::set_body(std::uint32_t function, std::uint32_t expression) {
    made_.functions[function].body = expression;
}

void code_builder::add_variable(scope &in, const std::string &name) {
    function_code &owner = made_.functions[in.function];
    in.variables.push_back({name, owner.slots++});
    owner.slot_names.push_back(name);
}

void code_builder::capture(scope &in, const std::string &name, std::uint32_t slot_outside) {
    in.captured_from.push_back(slot_outside);
    add_variable(in, name);
    ++made_.functions[in.function].captured;
}

std::uint32_t code_builder::add_constant(value given, place where, const scope &in) {
    made_.constants.push_back(std::move(given));
    return add(op::constant, where, {}, in, static_cast<std::uint32_t>(made_.constants.size() - 1));
}

std::uint32_t code_builder::add(op what, place where, const std::vector<std::uint32_t> &children,
                                const scope &in, std::uint32_t a, std::uint32_t b) {
    const auto is_simple_child = [&](std::uint32_t child) { return is_simple(child); };
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
    made.is_simple = may_be_simple && std::ranges::all_of(children, is_simple_child);
    const std::size_t arguments = what == op::let ? b : children.size(); // the body comes after them
    made.waits_for = static_cast<std::uint32_t>(
        static_cast<std::ptrdiff_t>(arguments) -
        std::ranges::count_if(std::span{children}.first(arguments), is_simple_child));
    find_operands(made, children);
    made.is_entered = what == op::call && std::ranges::all_of(children, [&](std::uint32_t child) {
                          return is_operand(made_.nodes[child]) || made_.nodes[child].is_quick;
                      });
    made_.children.insert(made_.children.end(), children.begin(), children.end());
    made_.nodes.push_back(made);
    return static_cast<std::uint32_t>(made_.nodes.size() - 1);
}

void code_builder::find_operands(node &made, const std::vector<std::uint32_t> &children) const {
    if (made.what != op::builtin || static_cast<short_cut>(made.b) == short_cut::none) {
        return;
    }
    const node &left = made_.nodes[children[0]], &right = made_.nodes[children[1]];
    made.is_quick = is_operand(left) && is_operand(right);
    made.left = operand(left);
    made.right = operand(right);
}

std::uint32_t code_builder::add_closure(const scope &inside, place where, const scope &in) {
    const std::uint32_t made = add(op::lambda, where, {}, in, inside.function);
    made_.nodes[made].captures_first = static_cast<std::uint32_t>(made_.slots.size());
    made_.nodes[made].captures_count = made_.functions[inside.function].captured;
    made_.slots.insert(made_.slots.end(), inside.captured_from.begin(), inside.captured_from.end());
    return made;
}

void code_builder::put_at(std::uint32_t expression, const placement &where) {
    node &placed = made_.nodes[expression];
    placed.tile = where.tile >= 0 ? where.tile : placed.tile;
    placed.rank = where.rank >= 0 ? where.rank : placed.rank;
    placed.placed_by = where.by != policy::none ? where.by : placed.placed_by;
    placed.priority = where.priority >= 0 ? where.priority : placed.priority;
    placed.is_placed =
        placed.tile >= 0 || placed.rank >= 0 || placed.placed_by != policy::none || placed.priority >= 0;
    placed.is_simple = placed.is_simple && !placed.is_placed;
    placed.is_entered = placed.is_entered && !placed.is_placed;
}

code code_builder::finish(const source &program, std::uint64_t seed) {
    find_slots();
    std::string all;
    for (const datum &form : program.forms) {
        all += to_string(form);
    }
    made_.hash = hash_of(all, seed + made_.nodes.size());
    return std::move(made_);
}

// Which slots each expression uses: those are what travels with it. Children come before their parents.
void code_builder::find_slots() {
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
        for (const std::int32_t where : {each.tile, each.rank, each.priority}) {
            if (where >= 0) {
                const auto &theirs = used[static_cast<std::size_t>(where)];
                mine.insert(mine.end(), theirs.begin(), theirs.end());
            }
        }
        if (each.what == op::let) {
            std::erase_if(mine, [&](std::uint32_t slot) { return slot >= each.a && slot < each.a + each.b; });
        }
        std::ranges::sort(mine);
        mine.erase(std::ranges::unique(mine).begin(), mine.end());
        each.slots_first = static_cast<std::uint32_t>(made_.slots.size());
        each.slots_count = static_cast<std::uint32_t>(mine.size());
        made_.slots.insert(made_.slots.end(), mine.begin(), mine.end());
    }
}

} // namespace lisle::tasks
