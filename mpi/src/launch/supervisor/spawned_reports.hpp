// SPDX-License-Identifier: Apache-2.0
// Reports of jobs that a recorded job spawns: each gets a page of its own, beside its parent's. What is
// wanted stands in the folder that the parents record to.
#pragma once

#include <string>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// Says in the folder of a job what is wanted of those that it spawns. Throws launch_error.
void want_reports_of_spawned(const job_request &request, const std::string &folder);
/// Makes the request one for a report, if this job was spawned by one that is recorded. Its files have the
/// names of the parents' with a number.
void want_report_as_parents(job_request &request);
/// What the report of a job says of those that it has spawned; empty: there are none.
[[nodiscard]] std::string remark_about_spawned(const job_request &request, const std::string &folder);

} // namespace lisle::launch
