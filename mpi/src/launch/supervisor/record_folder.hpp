// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a job record their calls.
#pragma once

#include <string>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// A folder of its own among the temporary ones. Nothing of it stays.
class record_folder {
  public:
    /// Throws launch_error if it cannot be made. @param option that wants it
    explicit record_folder(const char *option);
    record_folder(const record_folder &) = delete;
    record_folder &operator=(const record_folder &) = delete;
    ~record_folder();
    [[nodiscard]] const std::string &path() const noexcept { return path_; }

  private:
    std::string path_;
};

/// Throws launch_error if the file of an option cannot be written. An empty name is that of none.
void check_file(const char *option, const std::string &file);

/// Recorders have the calls of the standard's binary interface. Throws launch_error if the programs are to
/// use another one.
void record_standard_calls(const char *option, job_request &request);

} // namespace lisle::launch
