// SPDX-License-Identifier: Apache-2.0
// All processes below this one, in whatever sessions and process groups. The caller is a subreaper
// (PR_SET_CHILD_SUBREAPER), so a process that loses its parent stays among them.
#pragma once

#include <chrono>
#include <sys/types.h>
#include <vector>

namespace lisle::launch {

/// Children, their children, and so on; empty if /proc does not tell.
[[nodiscard]] std::vector<pid_t> descendants();

/// True if one of them is the launcher of a job that a rank has spawned (MPI_Comm_spawn), and is the caller's
/// own child by now.
[[nodiscard]] bool has_spawned_job();

/// Sends a signal to all descendants.
void signal_descendants(int signal);

/// Ends every descendant: SIGTERM, SIGKILL after `grace` (at once if it is zero), and again for those
/// that appear meanwhile. False if some still live two seconds later, as in an unfinished system call.
bool end_descendants(std::chrono::milliseconds grace);

} // namespace lisle::launch
