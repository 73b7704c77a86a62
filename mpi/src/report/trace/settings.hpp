// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::report {

/// Where Lisle is installed, the library that ranks record with, and the program that reads what they have
/// recorded.
inline constexpr const char *recorder_library = "lib/lisle/liblisle_report.so";
inline constexpr const char *report_program = "libexec/lisle/lisle-report";

/// Names the folder that ranks record to; set by lislerun --report.
inline constexpr const char *folder_variable = "LISLE_REPORT_FOLDER";

} // namespace lisle::report
