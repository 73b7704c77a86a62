// SPDX-License-Identifier: Apache-2.0
// Files with words of a command line (-configfile, -file), read as a shell reads them: quotes and
// backslashes work, '#' at the beginning of a line makes it a comment, a backslash at its end continues it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lisle::launch {

/// The words of each line that has some. Throws launch_error (exit_usage).
[[nodiscard]] std::vector<std::vector<std::string>> read_command_file(std::string_view shown,
                                                                      const std::string &path);

} // namespace lisle::launch
