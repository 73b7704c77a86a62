// SPDX-License-Identifier: Apache-2.0
// What the options have in common that let ranks record their calls (--report, --record-trace).
#pragma once

#include <string>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// Throws launch_error if the file of an option cannot be written. An empty name is that of none.
void check_file(const char *option, const std::string &file);

/// Recorders have the calls of the standard's binary interface. Throws launch_error if the programs are to
/// use another one.
void record_standard_calls(const char *option, job_request &request);

} // namespace lisle::launch
