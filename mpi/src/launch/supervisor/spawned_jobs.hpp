// SPDX-License-Identifier: Apache-2.0
// The jobs that have been spawned from this one, directly or by others: their launchers are descendants of
// this one (descendants.hpp).
#pragma once

#include <memory>
#include <vector>

#include "library/jobs_watch.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

/// The own job and all of these. Empty: the memory of one cannot be had, so what its ranks do is not known.
[[nodiscard]] std::vector<std::unique_ptr<watched_job>> own_and_spawned_jobs(const job_table &own);

} // namespace lisle::launch
