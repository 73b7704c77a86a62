// SPDX-License-Identifier: Apache-2.0
// Files with words of a command line (-configfile, -file), in a shell's syntax: quotes, backslashes, comment
// lines that begin with '#', and lines continued by a backslash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lisle::launch {

/// The words of each line that has some. Throws launch_error (exit_usage).
[[nodiscard]] std::vector<std::vector<std::string>> read_command_file(std::string_view shown,
                                                                      const std::string &path);

} // namespace lisle::launch
