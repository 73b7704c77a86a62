// SPDX-License-Identifier: Apache-2.0
// Expressions that have a value at once: constants, variables, and built-in functions of these.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "task/language/builtin.hpp"
#include "task/machine/activation.hpp"
#include "task/value/remote.hpp"

namespace lisle::tasks {

class simple_evaluator {
  public:
    explicit simple_evaluator(const tile_place &here) noexcept : place_{here} {}

    /// Writes the value to `result`. If that needs an object that is not here, is_blocked() afterwards and
    /// the value means nothing.
    void evaluate(const node &expression, activation &variables, value &result) {
        if (!quick(expression, variables, result)) {
            result = value_of(expression, variables);
        }
    }
    /// As evaluate(), without the attempt to be quick.
    [[nodiscard]] value value_of(const node &expression, activation &variables);

    [[nodiscard]] bool is_blocked() const noexcept { return !missing_.empty(); }
    /// The objects that have to be fetched, which it forgets.
    [[nodiscard]] std::vector<ref<remote_object>> take_missing() noexcept {
        return std::exchange(missing_, {});
    }
    void forget_missing() noexcept { missing_.clear(); }

    /// A failure of an expression, here. @param expression may be null
    [[nodiscard]] value fail(const node *expression, std::string message, std::string kernel = {}) const;

  private:
    // Evaluates an operation on two numbers. @return whether it was no more than that
    static bool quick(const node &expression, activation &variables, value &result) noexcept {
        if (!expression.is_quick) {
            return false;
        }
        const value *const constants = variables.program->text.constants.data();
        const value *const values = variables.values();
        const auto operand = [&](std::int32_t which) -> const value & {
            return which < 0 ? constants[~which] : values[which];
        };
        return quick_binary(static_cast<short_cut>(expression.b), operand(expression.left),
                            operand(expression.right), result);
    }
    value builtin(const node &expression, activation &variables);
    value call(const node &expression, std::span<value> arguments);

    const tile_place &place_;
    std::vector<ref<remote_object>> missing_;
};

} // namespace lisle::tasks
