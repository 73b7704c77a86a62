// SPDX-License-Identifier: Apache-2.0
// A job on other hosts: lislerun plans which process runs where, and turns into an installed launcher that
// starts lislerun on each host, as a task (task.hpp).
#pragma once

#include <string_view>

#include "launch/outer/outer_launcher.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// True if the command line names a host that is not this machine.
[[nodiscard]] bool names_other_hosts(const job_request &request);

/// What is to be started where. @param self the file of lislerun, as it is found on each host
/// Throws launch_error.
[[nodiscard]] outer_job plan_on_hosts(job_request request, const char *default_kind, const std::string &self);

/// Turns the calling process into the launcher that starts the job. Returns never; throws launch_error.
[[noreturn]] void start_on_hosts(job_request request, const char *default_kind);

/// The part of a request that only the supervisor of a job on one machine fulfils, in words; empty: none.
[[nodiscard]] std::string_view done_by_supervisor_alone(const job_request &request);

} // namespace lisle::launch
