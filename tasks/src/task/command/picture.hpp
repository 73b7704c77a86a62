// SPDX-License-Identifier: Apache-2.0
// Pictures of programs: the graph of tasks before a run, and the work of the tiles after it.
#pragma once

#include <string>
#include <vector>

#include <lisle/task/machine.hpp>

namespace lisle::tasks {

/// The task graph as SVG: a tree for the program and for each of its functions; what is evaluated at once
/// stands side by side. Throws program_error.
std::string draw_graph(const source &program, const registry &kernels);
/// The kernels that ran over time, a row for each tile, as SVG.
std::string draw_timeline(const std::vector<trace_event> &events, int tiles);

} // namespace lisle::tasks
