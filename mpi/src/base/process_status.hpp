// SPDX-License-Identifier: Apache-2.0
// What the kernel says of a process of this machine in /proc/PID (proc(5)).
#pragma once

#include <string>
#include <sys/types.h>

namespace lisle {

/// The whole of such a file; empty if the process does not run. @param file "stat", "environ"
[[nodiscard]] std::string content_of_process(pid_t process, const char *file);
/// When it began, in the kernel's own count, since a number may be used again; empty: it does not run.
[[nodiscard]] std::string begin_of_process(pid_t process);
/// Its parent; 0: none, or it does not run.
[[nodiscard]] pid_t parent_of(pid_t process);

} // namespace lisle
