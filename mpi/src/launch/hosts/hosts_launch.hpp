// SPDX-License-Identifier: Apache-2.0
// A job on several hosts that lislerun starts itself, through ssh or what takes its place.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts/branch.hpp"
#include "launch/link/host_job.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// What to run where. @param request whose hosts are to be used; counts that they decide are filled in
struct hosts_plan {
    ways_to_hosts ways;
    host_job job;  ///< but for its environment
    int slots = 0; ///< of all hosts
};
[[nodiscard]] hosts_plan plan_for_hosts(job_request &request, const char *default_kind);

/// How hosts are reached, whatever their names.
[[nodiscard]] ways_to_hosts ways_of(const job_request &request);

/// The variables of this environment that go to other hosts: all but those that belong to a machine or a
/// login.
[[nodiscard]] std::vector<std::string> environment_for_hosts(char *const *inherited);

/// Runs the job; returns the launcher's exit code.
int run_on_hosts(const job_request &request, hosts_plan plan);

} // namespace lisle::launch
