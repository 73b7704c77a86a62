// SPDX-License-Identifier: Apache-2.0
// The end of a job whose ranks all wait for each other.
#pragma once

#include <functional>
#include <string>

#include "world/job.hpp"

namespace lisle {

/// Prints the report and ends the job with deadlock_exit_code. @param rank of this process, which has found
/// it @param report makes the report: nobody else makes one meanwhile
[[noreturn]] void end_job_in_deadlock(job &standing, int rank,
                                      const std::function<std::string()> &report) noexcept;

} // namespace lisle
