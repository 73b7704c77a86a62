// SPDX-License-Identifier: Apache-2.0
// A run in words: for the top of its page, and for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/analysis/run.hpp"

namespace lisle::report {

/// "1.24 s", "310 ms", "12 us".
[[nodiscard]] std::string time_in_words(double ns);
/// "3.1 GB".
[[nodiscard]] std::string bytes_in_words(double bytes);
/// "62%".
[[nodiscard]] std::string percent(double share);
[[nodiscard]] std::string name_of_call(std::uint32_t id);
[[nodiscard]] std::string_view name_of_state(wait_state which);

/// Where the time goes, who is late, and what is the matter, a sentence each.
[[nodiscard]] std::vector<std::string> summary_of(const run &told);
/// Ten lines for a terminal.
[[nodiscard]] std::string lines_of(const run &told);

} // namespace lisle::report
