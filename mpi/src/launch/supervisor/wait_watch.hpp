// SPDX-License-Identifier: Apache-2.0
// What the supervisor learns and prints of the waits of a running job's ranks.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "library/waits_of_job.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

class wait_watch {
  public:
    using clock = std::chrono::steady_clock;

    explicit wait_watch(const job_table &table) : table_{table}, waits_{table} {}

    /// When to look again for ranks that can never go on.
    [[nodiscard]] clock::time_point next() const noexcept { return next_; }
    /// Looks for them, and prints what they wait for. Returns why the job ends, or nothing as long as it goes
    /// on.
    [[nodiscard]] std::string look();
    /// What all ranks wait for, for print_report(). @param why the first line
    [[nodiscard]] std::string describe(const std::string &why);
    /// What those of this machine wait for, for a launcher that asks several.
    [[nodiscard]] std::vector<known_wait> ask() { return waits_.ask(); }

  private:
    /// Looks for ranks that can never go on among those of this job and of those that it has met, together.
    [[nodiscard]] std::string look_among_jobs();
    /// The same once all ranks of this job sleep. One launcher looks, and tells the others.
    [[nodiscard]] std::string look_at_met_jobs();
    [[nodiscard]] bool uses_mpi(int rank) const noexcept;

    const job_table &table_;
    waits_of_job waits_;
    clock::time_point next_;
    bool asleep_before_ = false; ///< all ranks, at the look before
    int in_vain_ = 0;            ///< questions to several jobs
    int pause_ = 0;              ///< looks that are left out of these
};

} // namespace lisle::launch
