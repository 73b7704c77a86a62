// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/analysis/run.hpp"

namespace lisle::report {

/// A run as one page of HTML that needs nothing else. @param title what was run
[[nodiscard]] std::string page_of(const run &told, const std::string &title);

} // namespace lisle::report
