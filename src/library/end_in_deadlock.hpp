// SPDX-License-Identifier: Apache-2.0
// The end of a job whose ranks all wait for each other.
#pragma once

#include <string>

#include "world/job.hpp"

namespace lisle {

/// Prints the report and ends the job with deadlock_exit_code. @param rank of this process, which has found
/// it
[[noreturn]] void end_job_in_deadlock(job &standing, int rank, const std::string &report) noexcept;

} // namespace lisle
