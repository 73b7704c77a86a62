// SPDX-License-Identifier: Apache-2.0
// Programs built with -fsanitize=address or =thread under a host that was not: their runtime must be there
// before all else, so the host starts itself again with the runtime preloaded.
#pragma once

#include "launch/host/image/program_file.hpp"

namespace lisle::host {

/// Returns if the program needs no sanitizer's runtime, or it is loaded; else replaces the process by
/// the same host and arguments with the runtime. Throws `refusal` if that fails.
void preload_sanitizer(const program_file &program, char **arguments);

} // namespace lisle::host
