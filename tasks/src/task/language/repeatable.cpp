// SPDX-License-Identifier: Apache-2.0
#include "task/language/repeatable.hpp"

#include <vector>

#include "task/value/remote.hpp"

namespace lisle::tasks {

namespace {

/// What an operation is called in a sentence if it must not be done twice, else empty.
std::string_view effect_of(op what) {
    switch (what) {
    case op::print:
        return "print";
    case op::assign:
        return "assign";
    case op::fresh_cell:
    case op::fresh_buffer:
        return "variables or buffers that tasks wait for";
    case op::put:
        return "put";
    case op::close:
        return "close";
    case op::stream:
        return "stream";
    case op::fresh_block:
    case op::update:
        return "blocks";
    default:
        return {};
    }
}

/// Goes through expressions, and once through each function that these could call.
class search {
  public:
    search(const code &text, const registry &kernels)
        : text_{text}, kernels_{kernels}, has_met_(text.functions.size()) {}

    void meet_value(const value &any) {
        const value &known = here(any);
        if (known.is(object_kind::closure)) {
            const auto &function = known.as<closure>();
            meet_function(function.function);
            for (const value &captured : function.captured) {
                meet_value(captured);
            }
        } else if (known.is(object_kind::list)) {
            for (const value &item : known.as<list>().items) {
                meet_value(item);
            }
        }
    }
    void meet(const node &expression) { waiting_.push_back(&expression); }

    std::string first_obstacle() {
        while (!waiting_.empty()) {
            const node &next = *waiting_.back();
            waiting_.pop_back();
            if (std::string obstacle = obstacle_of(next); !obstacle.empty()) {
                return obstacle;
            }
            look_into(next);
        }
        return {};
    }

  private:
    [[nodiscard]] std::string obstacle_of(const node &expression) const {
        if (expression.what == op::kernel) {
            const method_entry &method = kernels_.at(expression.a);
            return method.changes_kernel() ? method.name() + ", which is no const method" : "";
        }
        return std::string{effect_of(expression.what)};
    }
    void look_into(const node &expression) {
        for (const std::uint32_t child : text_.children_of(expression)) {
            meet(text_.nodes[child]);
        }
        for (const std::int32_t part : {expression.tile, expression.rank, expression.priority}) {
            if (part >= 0) {
                meet(text_.nodes[static_cast<std::size_t>(part)]);
            }
        }
        if (expression.what == op::call || expression.what == op::lambda) {
            meet_function(expression.a);
        } else if (expression.what == op::constant) {
            meet_value(text_.constants[expression.a]);
        } else if (expression.what == op::read) { // its value may be any function of the program
            for (std::uint32_t each = 0; each < text_.functions.size(); ++each) {
                meet_function(each);
            }
        }
    }
    void meet_function(std::uint32_t which) {
        if (!has_met_[which]) {
            has_met_[which] = true;
            meet(text_.nodes[text_.functions[which].body]);
        }
    }

    const code &text_;
    const registry &kernels_;
    std::vector<bool> has_met_;
    std::vector<const node *> waiting_;
};

} // namespace

std::string obstacle_to_repeating(const code &text, const registry &kernels, const node &expression,
                                  std::span<const value> values) {
    search all{text, kernels};
    for (const value &each : values) {
        all.meet_value(each);
    }
    all.meet(expression);
    return all.first_obstacle();
}

} // namespace lisle::tasks
