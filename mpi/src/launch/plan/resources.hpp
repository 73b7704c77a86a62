// SPDX-License-Identifier: Apache-2.0
// The memory, tasks and descriptors that a job needs and that the machine has, compared before anything
// starts: a job that does not fit is refused with need and limit. Otherwise the system's out-of-memory killer
// might end programs of other users.
#pragma once

#include <cstdint>
#include <string>

#include "base/machine_limits.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

struct resource_need {
    std::uint64_t bytes;       ///< of memory, at least
    std::uint64_t tasks;       ///< processes and threads
    std::uint64_t descriptors; ///< open files of the launcher
};

struct resource_limits {
    resource_limit bytes;
    resource_limit tasks;
    resource_limit descriptors;
};

/// What the ranks and the launcher need before the program has done anything: an estimate from below.
[[nodiscard]] resource_need need_of(const job_request &request, const job_plan &plan);

/// What this process and its children may use now: of the machine's memory and that of the control groups
/// around it (both versions), of processes, of open files.
[[nodiscard]] resource_limits limits_here();

/// Throws launch_error with need and limit if the job of so many ranks does not fit.
void check_resources(int ranks, const resource_need &need, const resource_limits &limits);

} // namespace lisle::launch
