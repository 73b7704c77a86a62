// SPDX-License-Identifier: Apache-2.0
// Lists and files of hosts. Jobs run on this machine, so every host must be this machine, under one of its
// names; what remains of them is how many ranks they have room for. Throws launch_error (exit_usage).
#pragma once

#include <string>
#include <string_view>

namespace lisle::launch {

/// The slots of a list as localhost:2,localhost: an entry without a number counts one.
[[nodiscard]] int slots_of_hosts(std::string_view shown, std::string_view list);

/// The slots of a file with a host in each line, as `localhost`, `localhost:2` or `localhost slots=2`;
/// '#' begins a comment.
[[nodiscard]] int slots_of_host_file(std::string_view shown, const std::string &path);

/// This machine's name.
[[nodiscard]] std::string host_name();

} // namespace lisle::launch
