// SPDX-License-Identifier: Apache-2.0
// What a rank has printed is still there when its job is stopped. Nobody can pass on what lies in the buffer
// of a process that has been killed, so a rank of a job prints line by line, into pipes and files too.
#pragma once

namespace lisle {

/// From now on the process's standard output, stdout and std::cout, passes on each line when it is complete.
/// A program may choose another buffer afterwards (setvbuf, rdbuf).
void print_by_lines();

/// Passes on all that the calling rank has printed, and what its C files hold, before the process ends
/// without exit.
void pass_on_printed() noexcept;

} // namespace lisle
