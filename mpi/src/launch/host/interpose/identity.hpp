// SPDX-License-Identifier: Apache-2.0
// The name of the process and its threads: those of the program, not of the host.
#pragma once

#include <string>

namespace lisle::host {

class hosted_rank;

/// From now on the process has the name of this program. @pre no rank runs yet.
void take_identity(const std::string &called_as);

/// The rank runs the program with this path.
void note_program(hosted_rank &rank, const std::string &path);

/// Names the calling thread after the program and this rank, for top and debuggers.
void name_thread(int rank);

/// The path itself, or the program's if it means the executable of the calling rank (/proc/self/exe).
[[nodiscard]] const char *path_of_program(const char *path);

} // namespace lisle::host
