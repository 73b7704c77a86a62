// SPDX-License-Identifier: Apache-2.0
// A compiled program while it is made: expressions are added one by one, children before their parents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "task/language/code.hpp"

namespace lisle::tasks {

/// The names that an expression may use: one for each function that is being compiled.
struct scope {
    struct variable {
        std::string name;
        std::uint32_t slot;
    };
    std::uint32_t function;
    std::vector<variable> variables{};
    scope *outer = nullptr;
    std::vector<std::uint32_t>
        captured_from{}; ///< slots of the outer activation, in the order of captured slots

    /// The slot of a variable; of two with one name the inner.
    [[nodiscard]] std::optional<std::uint32_t> find(const std::string &name) const;
};

/// The placement of an expression: numbers of the expressions for tile and rank, or a policy; and of the
/// expression for its priority.
struct placement {
    std::int32_t tile = -1, rank = -1, priority = -1;
    policy by = policy::none;
};

class code_builder {
  public:
    explicit code_builder(std::string file) { made_.file = std::move(file); }

    /// A function without a body so far.
    std::uint32_t add_function(std::string name, std::size_t parameters);
    [[nodiscard]] const function_code &function(std::uint32_t index) const { return made_.functions[index]; }
    void set_body(std::uint32_t function, std::uint32_t expression);
    /// A variable gets the next slot of its function's activation.
    void add_variable(scope &in, const std::string &name);
    /// A variable outside becomes one of this function, which keeps its value.
    void capture(scope &in, const std::string &name, std::uint32_t slot_outside);

    std::uint32_t add_constant(value given, place where, const scope &in);
    std::uint32_t add(op what, place where, const std::vector<std::uint32_t> &children, const scope &in,
                      std::uint32_t a = 0, std::uint32_t b = 0);
    /// The function of a scope as a value, made in the scope around it.
    std::uint32_t add_closure(const scope &inside, place where, const scope &in);
    /// A placement that an expression has by its nature, as print has, stays unless another one is given.
    void put_at(std::uint32_t expression, const placement &where);
    [[nodiscard]] bool is_simple(std::uint32_t expression) const { return made_.nodes[expression].is_simple; }

    /// The finished program. Its hash covers the source and the kernels, of which the seed is made.
    code finish(const source &program, std::uint64_t seed);

  private:
    void find_slots();
    void find_operands(node &made, const std::vector<std::uint32_t> &children) const;

    code made_;
};

} // namespace lisle::tasks
