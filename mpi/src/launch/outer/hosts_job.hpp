// SPDX-License-Identifier: Apache-2.0
// A job on other hosts through another launcher: lislerun plans which process runs where, and turns into that
// launcher, which starts lislerun on each host, as a task (task.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/outer/outer_launcher.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// True if the command line names a host that is not this machine.
[[nodiscard]] bool names_other_hosts(const job_request &request);

/// What is to be started where. @param self the file of lislerun, as it is found on each host
/// Throws launch_error.
[[nodiscard]] outer_job plan_on_hosts(job_request request, const char *default_kind, const std::string &self);

/// The launcher that is to start the job, as find_outer_launcher() finds it. Fills in what the environment
/// says.
[[nodiscard]] std::optional<std::string> outer_launcher_of(job_request &request);

/// Turns the calling process into this launcher, which starts the job. Returns never; throws launch_error.
[[noreturn]] void start_on_hosts(job_request request, const std::string &launcher, const char *default_kind);

/// The part of a request that only the supervisor of a job on one machine fulfils, in words; empty: none.
[[nodiscard]] std::string_view done_by_supervisor_alone(const job_request &request);

} // namespace lisle::launch
