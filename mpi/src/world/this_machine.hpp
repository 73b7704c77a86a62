// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace lisle {

/// A name of this running machine, or of a container on it that shares no memory with others. The same for
/// all processes that can open each other's files in /proc, if they are one user's; at most 80 characters.
[[nodiscard]] std::string name_of_this_machine();

} // namespace lisle
