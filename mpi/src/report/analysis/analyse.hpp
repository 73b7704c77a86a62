// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "report/analysis/listener.hpp"
#include "report/analysis/run.hpp"

namespace lisle::report {

/// Reads what the ranks of a job have recorded in a folder. Memory does not grow with the number of calls,
/// but for what is under way at a time. Throws std::runtime_error if nothing there is a record.
/// @param listener hears of all that is found; null: nobody
[[nodiscard]] run analyse(const std::filesystem::path &folder, run_listener *listener = nullptr);

} // namespace lisle::report
