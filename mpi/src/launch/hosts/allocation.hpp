// SPDX-License-Identifier: Apache-2.0
// The hosts that a batch system has given this job: Slurm, PBS (OpenPBS, Torque) and LSF leave them in the
// environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// The hosts of the allocation around this process, and on each the number of tasks that it is for. Empty:
/// there is none. Throws launch_error if it cannot be read.
[[nodiscard]] std::vector<host_slots> hosts_of_allocation();

/// The names that Slurm writes as "n[1-3,07],login". Throws launch_error (exit_usage).
[[nodiscard]] std::vector<std::string> hosts_in_slurm_list(std::string_view list);

/// The numbers that Slurm writes as "2(x3),1". Throws launch_error (exit_usage).
[[nodiscard]] std::vector<int> numbers_in_slurm_list(std::string_view list);

/// The program's hosts become those of the allocation, unless one names some, or the allocation has no host
/// but this machine.
void use_allocation(job_request &request);

} // namespace lisle::launch
