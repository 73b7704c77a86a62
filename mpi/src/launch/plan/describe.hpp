// SPDX-License-Identifier: Apache-2.0
// Descriptions of a job for its user: which rank runs where, and what there is to run on.
#pragma once

#include <string>
#include <vector>

#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// "rank 3" or "ranks 4 to 7".
[[nodiscard]] std::string ranks_of(const process_plan &process);

/// The texts of --display-map, -print-rank-map and --display-allocation, as far as they are asked for.
[[nodiscard]] std::string description_of(const job_request &request, const job_plan &plan);

/// The sentences of --report-bindings: where each rank may run.
[[nodiscard]] std::vector<std::string> bindings_of(const job_request &request, const job_plan &plan);

} // namespace lisle::launch
