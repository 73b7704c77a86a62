// SPDX-License-Identifier: Apache-2.0
// Starts another job for MPI_Comm_spawn: a lislerun of its own, which leaves the process that has started it
// and belongs to the supervisor of this job, if there is one. [MPI-5.0 11.8]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/owned_descriptor.hpp"

namespace lisle::dynamic {

/// One program of the new job.
struct started_program {
    std::string command;
    std::vector<std::string> arguments;
    int ranks = 1;
    std::string directory;   ///< empty: this process's
    std::string search_path; ///< where the command is looked for first, as PATH; may be empty
    std::string kind;        ///< of its ranks, as for lislerun --ranks; empty: as lislerun chooses
    std::string hosts;       ///< as for lislerun --host; empty: this machine
    std::string
        errhandler; ///< of its communicators at first, as for lislerun -initial-errhandler; may be empty
};

/// Tells a job at which port its parents wait.
inline constexpr const char *parent_port_variable = "LISLE_PARENT_PORT";
/// A descriptor that the new job's launcher keeps open until it ends.
inline constexpr const char *launcher_alive_variable = "LISLE_PARENT_FD";

/// Starts them as one job. Throws mpi_error (MPI_ERR_SPAWN) if there is no lislerun, or it cannot be started.
/// @return becomes readable when the new job's launcher has ended
[[nodiscard]] owned_descriptor start_job(const std::vector<started_program> &programs,
                                         std::string_view parent_port);

} // namespace lisle::dynamic
