// SPDX-License-Identifier: Apache-2.0
// The report of a run: the folder that its ranks record to, and what is made of it when they have ended.
#pragma once

#include <optional>

#include "launch/request/request.hpp"
#include "launch/supervisor/record_folder.hpp"

namespace lisle::launch {

class run_report {
  public:
    /// Makes the folder and tells the request, if a report is wanted. Throws launch_error if there can be
    /// none.
    explicit run_report(job_request &request);
    /// All ranks have ended. What goes wrong is said: the program's exit code is what counts.
    void make() const;

  private:
    const job_request &request_;
    std::optional<record_folder> folder_;
};

} // namespace lisle::launch
