// SPDX-License-Identifier: Apache-2.0
// The launchers of other projects that start processes on other hosts for lislerun, and their command lines.
#pragma once

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

/// The file of the launcher to use: the one that is asked for, or the first one that is installed (srun only
/// within an allocation of Slurm). Throws launch_error (exit_not_found, exit_usage).
[[nodiscard]] std::string find_outer_launcher(const std::string &asked_for);

/// The words of its command line. @param launcher a file as find_outer_launcher() gives it
/// Throws launch_error (exit_usage) if this launcher cannot start such a job.
[[nodiscard]] std::vector<std::string> words_for(const std::string &launcher, const outer_job &job);

} // namespace lisle::launch
