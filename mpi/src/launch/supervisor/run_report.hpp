// SPDX-License-Identifier: Apache-2.0
// The report of a run: the folder that its ranks record to, and what is made of it when they have ended.
#pragma once

#include <optional>

#include "launch/common/temporary_folder.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

class run_report {
  public:
    /// Makes the folder and tells the request, if a report is wanted. Throws launch_error if there can be
    /// none.
    explicit run_report(job_request &request);
    run_report(const run_report &) = delete;
    run_report &operator=(const run_report &) = delete;

    /// All ranks have ended. What goes wrong is said: the program's exit code is what counts.
    void make(const job_plan &plan) const;

  private:
    const job_request &request_;
    std::optional<temporary_folder> folder_; ///< of the record, of which nothing stays
};

} // namespace lisle::launch
