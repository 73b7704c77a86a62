// SPDX-License-Identifier: Apache-2.0
// What is printed of a rank that has crashed.
#pragma once

#include <string>

#include "world/job_table.hpp"

namespace lisle::launch {

/// The rank, the signal, and its stack with names and lines, as far as the files have them: at most so many
/// lines as the stack has frames, and one more. Slow: reads debug information.
[[nodiscard]] std::string crash_report(const fault_record &fault, const crash_stack::content &stack);

} // namespace lisle::launch
