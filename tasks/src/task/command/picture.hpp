// SPDX-License-Identifier: Apache-2.0
// Pictures of programs: the graph of its tasks before it runs, and what its tiles did when it has.
#pragma once

#include <string>
#include <vector>

#include <lisle/task/machine.hpp>

namespace lisle::tasks {

/// The task graph as SVG: a tree for the program and for each of its functions; what is evaluated at once
/// stands side by side. Throws program_error.
std::string draw_graph(const source &program, const registry &kernels);
/// Which kernel ran when, a row for each tile, as SVG.
std::string draw_timeline(const std::vector<trace_event> &events, int tiles);

} // namespace lisle::tasks
