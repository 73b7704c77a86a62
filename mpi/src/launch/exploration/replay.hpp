// SPDX-License-Identifier: Apache-2.0
// lislerun --replay: one run that chooses what a file says.
#pragma once

#include <optional>

#include "launch/exploration/single_run.hpp"

namespace lisle::launch {

class replayed_run {
  public:
    /// Tells the request what is to be followed, if --replay is there. Throws launch_error if the file makes
    /// no sense.
    explicit replayed_run(job_request &request);
    /// The run is over: says if it was not the one of the file. @return the exit code of the launcher
    [[nodiscard]] int end(int exit_code) const;

  private:
    const job_request &request_;
    std::optional<choice_folder> folder_;
    choice::orders given_;
};

} // namespace lisle::launch
