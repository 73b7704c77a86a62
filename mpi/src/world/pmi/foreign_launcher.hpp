// SPDX-License-Identifier: Apache-2.0
// The environment that another launcher (Hydra, Slurm, Open MPI's, ...) gives a process: a connection to it,
// if it offers a protocol that Lisle has (process_manager.hpp), or only traces of a parallel job. Read only
// if Lisle's launcher did not start the process; changes nothing.
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

/// For a process without a connection to a launcher: a sentence that names the launcher which started it as
/// one of several, and the remedy, since such a process must not run as a job of one rank. Empty if there was
/// no launcher, or it started one process only (inside an allocation, or with -n 1).
[[nodiscard]] std::optional<std::string> foreign_launcher();

} // namespace lisle
