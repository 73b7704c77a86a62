// SPDX-License-Identifier: Apache-2.0
// The report about ranks of several jobs that wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/job_waits.hpp"

namespace lisle {

/// What the ranks of one job have said.
struct waits_of_one {
    std::int64_t id;
    job_waits ranks;
};

/// The ranks of all jobs in one row of numbers, with a line for each job that says which are its own.
[[nodiscard]] std::string deadlock_report_of_jobs(const std::vector<waits_of_one> &jobs);

} // namespace lisle
