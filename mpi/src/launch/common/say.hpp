// SPDX-License-Identifier: Apache-2.0
// Messages of the launcher on its error output.
#pragma once

#include <string>

namespace lisle::launch {

/// Prints one sentence, behind the launcher's name, in one piece. Dropped if the output takes nothing.
void say(const std::string &text);

/// The line that say() prints.
[[nodiscard]] std::string said(const std::string &text);

/// What the sentences of this process begin with from now on, instead of lislerun.
void say_as(const std::string &speaker);

/// Prints a report as it is.
void print_report(const std::string &report);

} // namespace lisle::launch
