// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace lisle::report {

/// Where Lisle is installed, the library that ranks record with, and the program that reads what they have
/// recorded.
inline constexpr const char *recorder_library = "lib/lisle/liblisle_report.so";
inline constexpr const char *report_program = "libexec/lisle/lisle-report";

/// Names the folder that a job's ranks record to; set by lislerun --report.
inline constexpr const char *folder_variable = "LISLE_REPORT_FOLDER";

/// Names that folder for jobs which a recorded job spawns; set by its ranks.
inline constexpr const char *parent_folder_variable = "LISLE_REPORT_PARENT";

/// The file in that folder that a rank writes.
[[nodiscard]] inline std::string file_of_rank(int rank) {
    return "rank." + std::to_string(rank);
}
/// Whose file that is; nothing: no rank's.
[[nodiscard]] inline std::optional<int> rank_of_file(std::string_view name) {
    constexpr std::string_view begin = "rank.";
    int rank = 0;
    if (!name.starts_with(begin)) {
        return std::nullopt;
    }
    const auto [end, error] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), rank);
    return error == std::errc{} && end == name.data() + name.size() ? std::optional{rank} : std::nullopt;
}

} // namespace lisle::report
