// SPDX-License-Identifier: Apache-2.0
// What tiles did, for https://ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>
#include <vector>

#include <lisle/task/machine.hpp>

namespace lisle::tasks {

/// JSON of the trace event format: a process for each rank, a thread for each tile, a slice for each kernel
/// with the place of its call. @param program the name of its file
std::string write_trace_events(const std::vector<trace_event> &events, const std::string &program);

} // namespace lisle::tasks
