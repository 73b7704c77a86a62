// SPDX-License-Identifier: Apache-2.0
// Programs that only start another one: a thread or fiber rank cannot become that one.
#pragma once

#include <string>

namespace lisle::host {

/// Throws `refusal` if the program is a well-known one of that kind, a shell, launcher or debugger for one,
/// and says where it is to be put. What is not known here is met when it calls exec.
void check_for_wrapper(const std::string &program);

/// A rank is about to replace the whole process by another program: says so and sets errno. @pre in the host
/// process itself, not in a child
void refuse_exec(int rank, const char *path);

} // namespace lisle::host
