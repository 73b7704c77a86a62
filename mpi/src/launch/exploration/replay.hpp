// SPDX-License-Identifier: Apache-2.0
// lislerun --replay: one run that chooses what a file says, and --record, which writes one.
#pragma once

#include <optional>

#include "launch/exploration/single_run.hpp"

namespace lisle::launch {

class single_choices {
  public:
    /// Tells the request what is to be followed or recorded, if either is wanted. Throws launch_error if the
    /// file makes no sense.
    explicit single_choices(job_request &request);
    /// The run is over: says if it was not the one of the file, or writes one. @return the exit code of the
    /// launcher
    [[nodiscard]] int end(int exit_code) const;

  private:
    const job_request &request_;
    std::optional<choice_folder> folder_;
    choice::orders given_;
};

} // namespace lisle::launch
