// SPDX-License-Identifier: Apache-2.0
// The environment of a process of the job: the launcher's own, the variables of the command line, and those
// by which the library finds its job. A rank may start this launcher, so variables of a job around it are not
// inherited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// True for variables that identify a process of a job: other jobs do not inherit them.
[[nodiscard]] bool set_by_launcher_alone(std::string_view name);

/// NAME=value for each variable of this process. `inherited` is the launcher's environment.
[[nodiscard]] std::vector<std::string> environment_of(const process_plan &process, std::size_t index,
                                                      const job_request &request, int ranks_in_job,
                                                      int segment_descriptor, char *const *inherited);

/// The same where another launcher has started this one as a task (task.hpp).
[[nodiscard]] std::vector<std::string>
environment_of_task(const process_plan &process, const job_request &request, char *const *inherited);

} // namespace lisle::launch
