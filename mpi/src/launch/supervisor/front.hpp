// SPDX-License-Identifier: Apache-2.0
// The process of the launcher that the user started. It does nothing but pass signals on to the supervisor
// and wait for it, so that either of the two can end the job when the other is killed.
#pragma once

#include "launch/options/command_line.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {

/// Runs the job; returns the launcher's exit code.
int run_job(const job_request &request, const job_plan &plan);

} // namespace lisle::launch
