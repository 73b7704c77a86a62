// SPDX-License-Identifier: Apache-2.0
// Lists and files of hosts, in the forms that other launchers take. Throws launch_error (exit_usage).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// The hosts of a list as a:2,b: an entry without a number has one slot.
[[nodiscard]] std::vector<host_slots> hosts_in_list(std::string_view shown, std::string_view list);

/// The hosts of a file with one in each line, as `a`, `a:2` or `a slots=2`; '#' begins a comment.
[[nodiscard]] std::vector<host_slots> hosts_in_file(std::string_view shown, const std::string &path);

} // namespace lisle::launch
