// SPDX-License-Identifier: Apache-2.0
// Data to code: names become slots, functions and methods; arguments are counted and constants checked.
// compiler.cpp has functions, names and calls, forms.cpp what each form of the language becomes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "task/code_builder.hpp"

namespace lisle::tasks {

class compiler {
  public:
    compiler(const source &program, const registry &kernels)
        : program_{program}, kernels_{kernels}, made_{program.file} {}

    /// Throws program_error.
    code compile();

  private:
    using form_compiler = std::uint32_t (compiler::*)(const datum &, scope &);
    static const std::map<std::string, form_compiler, std::less<>> &forms();

    void declare(const datum &form);
    void define(const datum &form);
    std::uint32_t main_body(std::uint32_t function);

    std::uint32_t expression(const datum &form, scope &in);
    std::vector<std::uint32_t> expressions(const datum &form, std::size_t first, scope &in);
    /// Several expressions, at once; the value of the last.
    std::uint32_t body(const datum &form, std::size_t first, scope &in);
    std::uint32_t name(const datum &form, scope &in);
    std::uint32_t language_name_as_value(const datum &form, scope &in);
    std::uint32_t list(const datum &form, scope &in);
    std::uint32_t built_in_call(std::uint32_t index, const datum &form, scope &in);
    std::uint32_t kernel_call(std::uint32_t index, const datum &form, scope &in);

    /// A function inside a function. The captured values come first in its frame, then the parameters.
    std::uint32_t closure(const std::vector<datum> &parameters, const datum &form, std::size_t first,
                          scope &in);
    void capture_names(const datum &piece, const std::vector<datum> &parameters, scope &inside);

    /// Compiled before what it places: children have lower numbers than their parents.
    placement placement_of(const datum &head, scope &in);
    [[nodiscard]] std::optional<policy> policy_of(const datum &form, const scope &in) const;

    // The forms of the language.
    std::uint32_t misplaced_define(const datum &form, scope &in);
    std::uint32_t par(const datum &form, scope &in);
    std::uint32_t seq(const datum &form, scope &in);
    std::uint32_t choose(const datum &form, scope &in);
    std::uint32_t cond(const datum &form, scope &in);
    std::uint32_t both(const datum &form, scope &in);
    std::uint32_t either(const datum &form, scope &in);
    std::uint32_t chain(const datum &form, scope &in, bool all);
    std::uint32_t let(const datum &form, scope &in);
    std::uint32_t lambda(const datum &form, scope &in);
    std::uint32_t apply(const datum &form, scope &in);
    std::uint32_t quote(const datum &form, scope &in);
    std::uint32_t run(const datum &form, scope &in);
    std::uint32_t map(const datum &form, scope &in);
    std::uint32_t fold(const datum &form, scope &in);
    std::uint32_t par_for(const datum &form, scope &in);
    std::uint32_t par_for_chunks(const datum &form, scope &in);
    std::uint32_t assign(const datum &form, scope &in);
    std::uint32_t read(const datum &form, scope &in);
    std::uint32_t buffer(const datum &form, scope &in);
    std::uint32_t put(const datum &form, scope &in);
    std::uint32_t close(const datum &form, scope &in);
    std::uint32_t stream(const datum &form, scope &in);
    std::uint32_t print(const datum &form, scope &in);

    void check_name(const datum &name) const;
    void check_count(const datum &form, std::size_t wanted) const;
    void wants(const datum &form, std::size_t least, std::size_t most, const std::string &shape) const;
    [[noreturn]] void refuse(place where, const std::string &message) const;

    const source &program_;
    const registry &kernels_;
    std::map<std::string, std::uint32_t, std::less<>> functions_;
    code_builder made_;
};

} // namespace lisle::tasks
