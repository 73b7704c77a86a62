// SPDX-License-Identifier: Apache-2.0
// The process of the launcher that the user started. It does nothing but pass signals on to the supervisor
// and wait for it, so that either of the two can end the job when the other is killed.
#pragma once

#include <functional>
#include <vector>

#include "launch/common/descriptor.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "launch/supervisor/spawn.hpp"

namespace lisle::launch {

/// Runs the job; returns the launcher's exit code.
int run_job(const job_request &request, const job_plan &plan);

/// What the front's child does: its exit code is the launcher's. @param notes signal_notes from the front;
/// its end says that the front has gone @param original what its children are not to inherit
using work_behind_front = std::function<int(descriptor notes, const inherited_state &original)>;

/// Runs that in a child, and passes signals on to it.
int run_behind_front(const std::vector<int> &forwarded_signals, const work_behind_front &work);

} // namespace lisle::launch
