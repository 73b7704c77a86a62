// SPDX-License-Identifier: Apache-2.0
// lislerun as what another launcher starts: orterun -n 2 lislerun -T 4 ./program. It starts no job then, but
// becomes one process of that launcher's job, with the ranks that its command line asks for.
#pragma once

#include "launch/request/request.hpp"

namespace lisle::launch {

/// True if another launcher has started this lislerun as a task of its job, and the command line asks for no
/// job of its own: no number of ranks or processes, no hosts, one program.
/// Throws launch_error (exit_usage) if this is one of several tasks, and their launcher does not answer.
[[nodiscard]] bool is_task_of_launcher(const job_request &request);

/// Turns the calling process into the program, or into the host of its thread or fiber ranks. Without -T,
/// LISLE_THREADS_PER_PROCESS says how many there are. Returns never; throws launch_error.
[[noreturn]] void become_task(job_request request, const char *default_kind);

} // namespace lisle::launch
