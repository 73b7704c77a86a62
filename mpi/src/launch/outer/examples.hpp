// SPDX-License-Identifier: Apache-2.0
// The example programs that are installed with Lisle, for a user who wants to change them.
#pragma once

#include <string>

namespace lisle::launch {

/// Copies them into a folder, which is made if there is none, and says so. Throws launch_error, before it
/// copies anything, if a file of the same name is there.
void copy_examples(const std::string &folder);

} // namespace lisle::launch
