// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::replay {

/// Where Lisle is installed, the library that ranks record with, and the program that makes their calls
/// again.
inline constexpr const char *recorder_library = "lib/lisle/liblisle_replay.so";
inline constexpr const char *replay_program = "libexec/lisle/lisle-replay";

/// Names the folder that ranks record to; set by lislerun --record-trace.
inline constexpr const char *record_folder_variable = "LISLE_RECORD_FOLDER";
/// The files there: of a rank's record, and of the names of what it leaves out.
inline constexpr const char *record_file = "rank.";
inline constexpr const char *left_out_file = "left_out.";

} // namespace lisle::replay
