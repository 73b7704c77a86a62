// SPDX-License-Identifier: Apache-2.0
// Preloaded libraries (LD_PRELOAD) are there once for a process, so a rank cannot have a copy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lisle::launch {

/// The first library of `preloaded` (as LD_PRELOAD has it) that one of the patterns of --private-libraries
/// means; nothing if there is none.
[[nodiscard]] std::optional<std::string> preloaded_private_library(std::string_view patterns,
                                                                   std::string_view preloaded);

} // namespace lisle::launch
