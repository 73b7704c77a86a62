// SPDX-License-Identifier: Apache-2.0
// Forms that are short for others: data in, data out. The names that they add begin with %.
#pragma once

#include <cstddef>

#include <lisle/task/datum.hpp>

namespace lisle::tasks {

/// (cond (condition value) ... (else value)) is nested ifs. Each entry has to be a pair.
[[nodiscard]] datum without_cond(const datum &form);

/// (par-for-chunks (begin end) first stop chunks body): chunk k of n goes from first + k*(stop-first)/n.
/// Needs all parts of the form.
[[nodiscard]] datum without_chunks(const datum &form);

/// Gives a part of a form a name: (f a (g b)) is ((lambda (%part) (f a %part)) (g b)). Unlike let, this keeps
/// its value no longer than the form takes.
[[nodiscard]] datum with_name(const datum &form, std::size_t part);

/// The parts of a form from this one on become one that evaluates them in turn.
[[nodiscard]] datum with_body_in_turn(const datum &form, std::size_t first);

/// A function of some parameters that calls what has this name: a name of the language as a value.
[[nodiscard]] datum as_lambda(const datum &name, std::size_t parameters);

} // namespace lisle::tasks
