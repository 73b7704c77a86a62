// SPDX-License-Identifier: Apache-2.0
// What stands in environment variables. A variable that is empty counts as one that is not set.
#pragma once

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace lisle {

/// The variable's value; empty if it is not set.
[[nodiscard]] inline std::string_view environment_text(const char *name) {
    const char *const value = std::getenv(name);
    return value != nullptr ? value : std::string_view{};
}

/// The variable's value as a number from 0 on; nothing if it is none.
[[nodiscard]] inline std::optional<int> environment_number(const char *name) {
    return whole_number(environment_text(name));
}

} // namespace lisle
