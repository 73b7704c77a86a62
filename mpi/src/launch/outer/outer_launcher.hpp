// SPDX-License-Identifier: Apache-2.0
// The launchers of other projects that start processes on other hosts for lislerun, and their command lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"

namespace lisle::launch {

/// Processes of a job, numbered in a row, that run the same command.
struct process_group {
    std::vector<host_slots> hosts; ///< in order, with the number of these processes on each
    std::vector<std::string> command;
    [[nodiscard]] int processes() const;
};

/// What an outer launcher is to start.
struct outer_job {
    std::vector<process_group> groups;
    std::string agent;     ///< what reaches a host instead of ssh; empty: ssh
    bool recovery = false; ///< a process that fails does not end the job
};

/// The file of the launcher that starts ranks on other hosts: the one that is asked for (srun, prterun,
/// orterun, mpiexec.hydra), or srun within an allocation of Slurm. Nothing: lislerun itself, as also where
/// ssh is asked for. Throws launch_error (exit_not_found, exit_usage).
[[nodiscard]] std::optional<std::string> find_outer_launcher(const std::string &asked_for);

/// The words of its command line. @param launcher a file as find_outer_launcher() gives it
/// Throws launch_error (exit_usage) if this launcher cannot start such a job.
[[nodiscard]] std::vector<std::string> words_for(const std::string &launcher, const outer_job &job);

} // namespace lisle::launch
