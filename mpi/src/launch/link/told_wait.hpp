// SPDX-License-Identifier: Apache-2.0
// What a host's ranks wait for, on its way to the launcher.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "library/waits_of_job.hpp"

namespace lisle::launch {

/// The answers as the body of a message.
[[nodiscard]] std::string told(const std::vector<known_wait> &waits);
/// Adds what a host has told to the waits of all ranks. @return of how many. Throws launch_error if it cannot
/// be an answer of such a job.
int add_told(std::string_view body, job_waits &all);

} // namespace lisle::launch
