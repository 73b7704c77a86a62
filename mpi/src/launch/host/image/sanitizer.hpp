// SPDX-License-Identifier: Apache-2.0
// Programs built with -fsanitize= under a host that was not: the sanitizer's runtime takes the place of the
// C library's functions, so it must be in the process before all else. The host starts itself again with the
// runtime preloaded. A runtime that is part of the program would come once for each rank: refused.
#pragma once

#include <string>

namespace lisle::host {

class program_file;

/// Returns if the program needs no sanitizer's runtime, or it is loaded; else replaces the process by
/// the same host and arguments with the runtime. Throws `refusal` if that fails. To be called before the
/// library is asked anything: it would take this process's place in the job, which the second start needs.
void preload_sanitizer(const std::string &program, char **arguments);

/// Throws `refusal` if the program itself holds a sanitizer's runtime that a process has room for once.
/// @param as_fibers one whose thread-local variables fibers would share, too
void check_for_sanitizer_inside(const program_file &program, bool as_fibers);

} // namespace lisle::host
