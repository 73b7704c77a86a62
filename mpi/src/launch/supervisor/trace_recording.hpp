// SPDX-License-Identifier: Apache-2.0
// lislerun --record-trace: the calls of a job as one file, and --replay-trace, which makes them again.
#pragma once

#include <optional>

#include "launch/common/temporary_folder.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

class trace_recording {
  public:
    /// Tells the request where ranks record to, if a trace is wanted. Throws launch_error if there can be
    /// none.
    explicit trace_recording(job_request &request);

    /// All ranks have ended. What goes wrong is said: the program's exit code is what counts.
    void make() const;

  private:
    const job_request &request_;
    std::optional<temporary_folder> folder_;
};

/// If a trace is to be replayed, that becomes the job's program. Throws launch_error if what is asked for
/// makes no sense.
void check_traces(job_request &request);

} // namespace lisle::launch
