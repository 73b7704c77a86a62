// SPDX-License-Identifier: Apache-2.0
// The jobs of this machine that the ranks of one can reach, directly or through others: spawned jobs, and
// jobs that have met by ports.
#pragma once

#include <memory>
#include <sys/types.h>
#include <vector>

#include "library/jobs_watch.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

struct met_job {
    std::unique_ptr<watched_job> job;
    pid_t launcher;
};

/// The own job, first, and all of these. Empty: one of them is not known here, or what its ranks do is not.
[[nodiscard]] std::vector<met_job> own_and_met_jobs(const job_table &own);

/// Those that do not end with the launcher of another one.
[[nodiscard]] std::vector<const met_job *> roots_of(const std::vector<met_job> &jobs);

} // namespace lisle::launch
