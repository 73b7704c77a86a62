// SPDX-License-Identifier: Apache-2.0
// The command line of lislerun. Tables (table_*.cpp) hold the options of MPICH, Open MPI and Lisle with all
// their spellings; the parser and the help text are made from them. One dash means the same as two, but for
// -env (which takes two words) and --env (which takes one).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// Parses the arguments behind the launcher's name. Throws launch_error (exit_usage).
[[nodiscard]] job_request parse(std::span<const std::string_view> arguments);

/// The text of --help and of --version. @param topic empty: the options. Throws launch_error for one that is
/// none.
[[nodiscard]] std::string help_text(std::string_view topic);
[[nodiscard]] std::string version_text();

} // namespace lisle::launch
