// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lisle::launch {

/// lislerun --status: has the launcher of a running job print what the job's ranks wait for, on its own error
/// output. Throws launch_error if there is none. @param process the launcher's id, or that of a process below
/// it
void ask_for_status(std::string_view process);

} // namespace lisle::launch
