// SPDX-License-Identifier: Apache-2.0
// A file that gets ranks' output: of one rank, or of all whose files have the same name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "launch/common/descriptor.hpp"

namespace lisle::launch {

class output_file {
  public:
    /// Opens the file, empty, and makes the directories on the way. Throws launch_error.
    explicit output_file(std::string path);
    /// Writes all of it. After an error nothing more is written.
    void write(std::string_view text);
    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
    /// What went wrong, as a sentence; empty: nothing.
    [[nodiscard]] const std::string &failure() const noexcept { return failure_; }

  private:
    std::string path_;
    launch::descriptor file_;
    std::string failure_;
};

/// The files by name.
using output_files = std::map<std::string, std::shared_ptr<output_file>>;

} // namespace lisle::launch
