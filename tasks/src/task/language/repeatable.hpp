// SPDX-License-Identifier: Apache-2.0
// Which parts of a program may be evaluated a second time when the first evaluation is lost with its rank.
#pragma once

#include <span>
#include <string>

#include "task/language/code.hpp"

namespace lisle::tasks {

/// What keeps an expression from being evaluated again, as the program or the registry names it: a method
/// that is not const, output, or what other tasks see (variables that are assigned once, buffers, blocks).
/// Looks into all functions that the expression could call. Empty: it may.
/// @param values of the variables that it uses, which may hold functions
std::string obstacle_to_repeating(const code &text, const registry &kernels, const node &expression,
                                  std::span<const value> values);

} // namespace lisle::tasks
