// SPDX-License-Identifier: Apache-2.0
// Recognises that another launcher (Hydra, Slurm, Open MPI's, ...) started this process as one of several,
// from what it leaves in the environment. Such a program must not run as a world of one, many times.
// Asked only when no launcher of Lisle's started the process; reads the environment, changes nothing.
#pragma once

#include <optional>
#include <string>

namespace lisle {

/// One sentence that says which launcher it was and what to do instead; empty if there was none, or if
/// it started one process only (inside an allocation, or with -n 1).
[[nodiscard]] std::optional<std::string> foreign_launcher();

} // namespace lisle
