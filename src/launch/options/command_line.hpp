// SPDX-License-Identifier: Apache-2.0
// The command line of lislerun. Tables (options/table_*.cpp) say which spellings of MPICH's, Open MPI's and
// Lisle's own dialect mean what; the parser and the help text are both driven by them. A name counts the
// same with one dash and with two, but for -env (which takes two words) and --env (which takes one).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// Parses the arguments behind the launcher's name. Throws launch_error (exit_usage).
[[nodiscard]] job_request parse(std::span<const std::string_view> arguments);

/// The text of --help and of --version.
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string version_text();

} // namespace lisle::launch
