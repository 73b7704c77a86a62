// SPDX-License-Identifier: Apache-2.0
// The environment variables by which the launcher instructs the processes of a job, besides those that
// world/job_table.hpp names.
#pragma once

namespace lisle::launch {

/// Set by the launcher alone.
inline constexpr const char *rank_variable = "LISLE_RANK";   ///< of a process that is one rank
inline constexpr const char *size_variable = "LISLE_SIZE";   ///< ranks in the job
inline constexpr const char *label_variable = "LISLE_LABEL"; ///< 1: the host prefixes lines of its ranks
inline constexpr const char *bind_variable = "LISLE_BIND";   ///< the host binds its ranks to places() of this
inline constexpr const char *input_variable = "LISLE_INPUT_RANK"; ///< which of its ranks reads the input
/// "hold": --gdb has started this launcher, and the processes of its job wait for gdb.
inline constexpr const char *in_debugger_variable = "LISLE_GDB";
/// What --private-libraries and --shared-libraries name; the host reads them.
inline constexpr const char *private_libraries_variable = "LISLE_PRIVATE_LIBRARIES";
inline constexpr const char *shared_libraries_variable = "LISLE_SHARED_LIBRARIES";
/// How many ranks the job's hosts have room for; a setting of the library.
inline constexpr const char *universe_variable = "LISLE_UNIVERSE_SIZE";
/// What --through and --launch-agent name, unless the command line does: so for jobs that this one spawns.
inline constexpr const char *through_variable = "LISLE_THROUGH";
inline constexpr const char *launch_agent_variable = "LISLE_LAUNCH_AGENT";
/// What -initial-errhandler names; a setting of the library.
inline constexpr const char *error_handler_variable = "LISLE_INITIAL_ERRHANDLER";

} // namespace lisle::launch
