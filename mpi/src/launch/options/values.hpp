// SPDX-License-Identifier: Apache-2.0
// Values of options: numbers, variables and lists. All throw launch_error (exit_usage) with a sentence that
// begins with `shown`, the option or variable that is set.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// A number of at least 1.
[[nodiscard]] int positive_number(std::string_view shown, std::string_view text);

/// VAR or VAR=value.
[[nodiscard]] variable variable_of(std::string_view shown, std::string_view text);

/// The standard's -soft: triplets a, a:b or a:b:c, separated by commas; a:b:c is a, a+c, ... up to b.
/// @return the numbers of at least 1, ascending
[[nodiscard]] std::vector<int> soft_numbers(std::string_view shown, std::string_view text);

/// The number of a signal named INT, SIGINT or 2.
[[nodiscard]] int signal_number(std::string_view shown, std::string_view text);

/// The kind of ranks with this name.
[[nodiscard]] rank_kind rank_kind_of(std::string_view shown, std::string_view text);

/// A span of time in seconds, written as a decimal number.
[[nodiscard]] std::chrono::milliseconds seconds_of(std::string_view shown, std::string_view text);

} // namespace lisle::launch
