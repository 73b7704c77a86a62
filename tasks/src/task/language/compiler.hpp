// SPDX-License-Identifier: Apache-2.0
// Data to code: names become slots, functions and methods; arguments are counted and constants checked.
// compiler.cpp has functions, names and calls, forms.cpp what each form of the language becomes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "task/language/code_builder.hpp"

namespace lisle::tasks {

class compiler;

/// Compiles an expression of one form of the language. @return its number in the code
using form_compiler = std::uint32_t (*)(compiler &by, const datum &form, scope &in);
/// By the names that the forms begin with.
const std::map<std::string, form_compiler, std::less<>> &forms();

class compiler {
  public:
    compiler(const source &program, const registry &kernels)
        : program_{program}, kernels_{kernels}, made_{program.file} {}

    /// Throws program_error.
    code compile();

    // For the forms.
    std::uint32_t expression(const datum &form, scope &in);
    std::vector<std::uint32_t> expressions(const datum &form, std::size_t first, scope &in);
    /// Several expressions, at once; the value of the last.
    std::uint32_t body(const datum &form, std::size_t first, scope &in);
    /// A function inside a function. The captured values come first in its activation, then the parameters.
    std::uint32_t closure(const std::vector<datum> &parameters, const datum &form, std::size_t first,
                          scope &in);
    /// Compiled before what it places: children have lower numbers than their parents.
    placement placement_of(const datum &head, scope &in);
    [[nodiscard]] code_builder &made() noexcept { return made_; }
    void check_name(const datum &name) const;
    void wants(const datum &form, std::size_t least, std::size_t most, const std::string &shape) const;
    [[noreturn]] void refuse(place where, const std::string &message) const;

  private:
    void declare(const datum &form);
    void define(const datum &form);
    std::uint32_t main_body(std::uint32_t function);
    std::uint32_t name(const datum &form, scope &in);
    std::uint32_t language_name_as_value(const datum &form, scope &in);
    std::uint32_t list(const datum &form, scope &in);
    std::uint32_t built_in_call(std::uint32_t index, const datum &form, scope &in);
    std::uint32_t kernel_call(std::uint32_t index, const datum &form, scope &in);
    void capture_names(const datum &piece, const std::vector<datum> &parameters, scope &inside);
    [[nodiscard]] std::optional<policy> policy_of(const datum &form, const scope &in) const;
    void check_count(const datum &form, std::size_t wanted) const;

    const source &program_;
    const registry &kernels_;
    std::map<std::string, std::uint32_t, std::less<>> functions_;
    code_builder made_;
};

} // namespace lisle::tasks
