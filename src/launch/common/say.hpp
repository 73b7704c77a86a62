// SPDX-License-Identifier: Apache-2.0
// What the launcher says on its error output.
#pragma once

#include <string>

namespace lisle::launch {

/// Prints one sentence, behind the launcher's name, in one piece; drops it where nobody reads.
void say(const std::string &text);

/// Prints a report as it is.
void print_report(const std::string &report);

} // namespace lisle::launch
