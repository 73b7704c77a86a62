// SPDX-License-Identifier: Apache-2.0
// The environment of a process of the job: the launcher's own, what the command line sets, and what tells
// the library where it is. Nothing of a job around this launcher is handed down: a rank may start jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/plan.hpp"
#include "launch/request.hpp"

namespace lisle::launch {

/// Variables that only the launcher sets, besides the two that job_table.hpp names.
inline constexpr const char *rank_variable = "LISLE_RANK";   ///< of a process that is one rank
inline constexpr const char *size_variable = "LISLE_SIZE";   ///< ranks in the job
inline constexpr const char *label_variable = "LISLE_LABEL"; ///< 1: the host prefixes lines of its ranks
inline constexpr const char *bind_variable = "LISLE_BIND";   ///< the host binds its ranks to places() of this
inline constexpr const char *input_variable = "LISLE_INPUT_RANK"; ///< which of its ranks reads the input
/// What --private-libraries and --shared-libraries name; the host reads them.
inline constexpr const char *private_libraries_variable = "LISLE_PRIVATE_LIBRARIES";
inline constexpr const char *shared_libraries_variable = "LISLE_SHARED_LIBRARIES";
/// How many ranks the job's hosts have room for; a setting of the library.
inline constexpr const char *universe_variable = "LISLE_UNIVERSE_SIZE";
/// What --through and --launch-agent name, unless the command line does: so for jobs that this one spawns.
inline constexpr const char *through_variable = "LISLE_THROUGH";
inline constexpr const char *launch_agent_variable = "LISLE_LAUNCH_AGENT";
/// What -initial-errhandler names; a setting of the library.
inline constexpr const char *error_handler_variable = "LISLE_INITIAL_ERRHANDLER";

/// True for variables that say who a process of a job is: they are not handed down to other jobs.
[[nodiscard]] bool set_by_launcher_alone(std::string_view name);

/// NAME=value for each variable of this process. `inherited` is the launcher's environment.
[[nodiscard]] std::vector<std::string> environment_of(const process_plan &process, std::size_t index,
                                                      const job_request &request, int ranks_in_job,
                                                      int segment_descriptor, char *const *inherited);

/// The same where another launcher has started this one as a task (task.hpp).
[[nodiscard]] std::vector<std::string>
environment_of_task(const process_plan &process, const job_request &request, char *const *inherited);

} // namespace lisle::launch
