// SPDX-License-Identifier: Apache-2.0
// Starts one process. The child is set up between vfork and execve, which costs no copy of the parent
// and lets the parent learn of every failure as a value.
#pragma once

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "launch/common/cpu_set.hpp"

namespace lisle::launch {

/// What a new process is to look like.
struct process_start {
    std::string path;
    std::vector<std::string> arguments;
    std::vector<std::string> environment; ///< NAME=value
    std::string directory;                ///< empty: the launcher's
    int input = -1;                       ///< becomes descriptor 0; -1: the launcher's stays
    int output = -1;                      ///< becomes descriptor 1; likewise
    int errors = -1;                      ///< becomes descriptor 2; likewise
    int handed_down = -1;                 ///< stays open under its number
    const cpu_set *placement = nullptr;   ///< null: the launcher's
    bool own_session = false;             ///< what a terminal sends to the launcher does not reach it
};

/// What the launcher changed in itself, and its children must not inherit.
struct inherited_state {
    sigset_t mask;
    struct sigaction pipe_action;
    struct sigaction file_size_action;
    struct sigaction child_action;
    rlimit open_files;
};

/// Starts the process; it dies with the calling thread. Throws launch_error with the step that failed.
pid_t spawn(const process_start &start, const inherited_state &original);

} // namespace lisle::launch
