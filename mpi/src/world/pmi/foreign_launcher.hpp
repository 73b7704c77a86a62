// SPDX-License-Identifier: Apache-2.0
// What another launcher (Hydra, Slurm, Open MPI's, ...) that started this process leaves in the environment:
// the way to it, if it speaks a protocol that Lisle speaks (process_manager.hpp), or only traces that this
// process is one of several. Asked only when no launcher of Lisle's started the process; changes nothing.
#pragma once

#include <optional>
#include <string>

namespace lisle {

/// True if the launcher is a PMIx server.
[[nodiscard]] bool launcher_speaks_pmix();

/// The open socket to a launcher that speaks PMI-1, and which of its processes this one is.
struct pmi1_socket {
    int descriptor;
    int process;
    int processes;
};
/// Nothing if there is no such launcher.
[[nodiscard]] std::optional<pmi1_socket> launcher_socket();

/// For a process that no launcher answers: one sentence that says which launcher started it as one of several
/// and what to do instead, since it must not run as a world of one, many times. Empty if there was none, or
/// if it started one process only (inside an allocation, or with -n 1).
[[nodiscard]] std::optional<std::string> foreign_launcher();

} // namespace lisle
