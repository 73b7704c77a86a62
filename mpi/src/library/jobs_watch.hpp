// SPDX-License-Identifier: Apache-2.0
// Looks, in the launcher, whether the ranks of several jobs wait for each other: of its own job and of those
// that its ranks can reach, whose memory it maps. See mpi/docs/design/deadlocks.md.
//
// All ranks are asked what they wait for. If they sleep again, have slept from one reading of their naps to
// the next, have taken as many packets of other jobs as these have sent, wait for ranks alone, and have met
// no rank of any further job, then nothing is under way and only ranks that sleep could wake one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/owned_descriptor.hpp"
#include "execution/wait_table.hpp"
#include "world/job_table.hpp"

namespace lisle {

/// One of the jobs, mapped anew for each look: jobs come and go.
class watched_job {
  public:
    /// Nothing: no job on one node lies behind the descriptor.
    [[nodiscard]] static std::unique_ptr<watched_job> attach(owned_descriptor table);
    ~watched_job();
    watched_job(const watched_job &) = delete;
    watched_job &operator=(const watched_job &) = delete;

    [[nodiscard]] job_id id() const noexcept;
    [[nodiscard]] wait_table &waits() noexcept;
    /// Says in the job's table that its ranks wait for each other, with those of other jobs.
    void note_deadlock() noexcept;

  private:
    struct view;
    explicit watched_job(std::unique_ptr<view> mapped) noexcept;
    std::unique_ptr<view> view_;
};

/// The other jobs whose ranks those of this one can reach. Takes up to a third of a second.
/// @return nothing: not all ranks have said
[[nodiscard]] std::optional<std::vector<job_id>> jobs_met_by(watched_job &job);

/// Takes up to two thirds of a second. @param jobs all that their ranks can reach
/// @return a report to be printed; empty: some rank may go on, or that is not certain
[[nodiscard]] std::string look_for_standstill_of(const std::vector<watched_job *> &jobs);

/// True if all ranks sleep or have ended, for now: time to ask whether they always will.
[[nodiscard]] bool all_sleep(const wait_table &table);

} // namespace lisle
