// SPDX-License-Identifier: Apache-2.0
// What Lisle's own launcher sees of the waits of a running job.
#pragma once

#include <memory>
#include <string>

#include "library/stuck_watch.hpp"
#include "world/job_table.hpp"

namespace lisle {

/// One thread uses it.
class waits_of_job {
  public:
    /// @param table of a job that create_job() has made, with what lies behind it
    explicit waits_of_job(const job_table &table);
    ~waits_of_job();
    waits_of_job(const waits_of_job &) = delete;
    waits_of_job &operator=(const waits_of_job &) = delete;

    /// Asks all ranks what they wait for and returns the answers as a table to be printed. Takes up to a
    /// third of a second: ranks that are at work do not answer. Empty for a job of several nodes, whose
    /// memory the launcher does not share. @param why the first line
    [[nodiscard]] std::string report(const std::string &why);

    /// Looks for ranks that can never go on (stuck_watch.hpp).
    [[nodiscard]] stuck_watch::finding look_for_stuck();
    /// True if all ranks sleep or have ended, for now.
    [[nodiscard]] bool all_sleep() const;

  private:
    struct view;
    std::unique_ptr<view> view_; ///< null: of several nodes
};

} // namespace lisle
