// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace lisle::launch {

/// A new folder among the system's temporary files, that nobody else reads. It is gone at the end, with all
/// in it.
class temporary_folder {
  public:
    /// Throws launch_error. @param purpose the beginning of its name
    explicit temporary_folder(std::string_view purpose);
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;
    ~temporary_folder();
    [[nodiscard]] const std::string &name() const noexcept { return name_; }

  private:
    std::string name_;
};

} // namespace lisle::launch
