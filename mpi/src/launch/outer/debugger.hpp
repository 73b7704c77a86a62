// SPDX-License-Identifier: Apache-2.0
// gdb in front of a job, or for one that runs or has ended. What it has to know of ranks is in a script
// beside the host (mpi/src/debugger).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// Whether this launcher runs in a gdb that --gdb has started.
[[nodiscard]] bool is_in_debugger();

// gdb takes the place of this process. Throw launch_error if there is none.

/// With the same command line, which it runs, until the first rank is at `main`.
[[noreturn]] void start_in_debugger(std::span<const std::string_view> arguments, const job_request &request,
                                    const job_plan &job);
/// With the processes of the job that has this launcher.
[[noreturn]] void attach_debugger(const std::string &process);
/// With a core file. @param program of a core file of a process that was one rank; empty: the core file tells
[[noreturn]] void open_core_file(const std::string &file, const std::string &program);

} // namespace lisle::launch
