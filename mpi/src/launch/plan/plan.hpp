// SPDX-License-Identifier: Apache-2.0
// The plan of a job: its processes, with how many ranks each, running which file. Everything that can be
// refused is refused here, before anything runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/request/request.hpp"
#include "world/job_shape.hpp"

namespace lisle::launch {

/// A process to start.
struct process_plan {
    std::size_t program; ///< index into job_request::programs
    int first_rank;
    int ranks;
    bool hosted;                        ///< its ranks are threads or fibers, so the host program runs it
    int workers;                        ///< threads that run its ranks if they are fibers, else 0
    std::string path;                   ///< the file to execute: the program, or the host
    std::vector<std::string> arguments; ///< from argument 0 on
    bool linked_with_lisle = false; ///< the program names Lisle's library: it needs no face of another MPI
    int host = 0;                   ///< where it runs, of the hosts of the job
};

struct job_plan {
    std::vector<process_plan> processes;
    [[nodiscard]] int ranks() const;
    /// The process that runs this rank.
    [[nodiscard]] const process_plan &process_of(int rank) const;
    [[nodiscard]] job_shape shape() const;
};

/// The numbers of ranks of a program's processes. `kind` is the default where the request says nothing.
/// @param recovery each rank may be lost alone, so it has a process of its own unless -P or -T say otherwise
/// Throws launch_error (exit_usage) if -n, -P, -T and --ranks contradict each other.
struct program_shape {
    std::vector<int> ranks_of_process;
    bool hosted; ///< threads or fibers
    bool fibers;
};
[[nodiscard]] program_shape shape_of(const program_request &program, rank_kind kind, bool recovery = false);
/// The same for all programs of a job. `default_kind` is the value of LISLE_RANKS, or null.
[[nodiscard]] std::vector<program_shape> shapes_of(const job_request &request, const char *default_kind);
[[nodiscard]] rank_kind kind_by_default(const char *default_kind);

/// The number of ranks that the request gives a program without -P and -T: -n, what its maps or hosts say,
/// and of these the largest that -soft allows. Throws launch_error (exit_usage) if it allows none.
[[nodiscard]] std::optional<int> ranks_wanted(const program_request &program);

/// The file that a program's name means: found in the directories of `search_path` (as PATH; may be empty),
/// in PATH, or as it is from `directory` (if not empty).
/// Throws launch_error (exit_not_found, exit_not_executable).
[[nodiscard]] std::string find_program(const std::string &name, const std::string &directory,
                                       const std::string &search_path = {});

/// The program that runs ranks as threads and fibers, beside this launcher's own file:
/// ../libexec/lisle/lisle-host.
[[nodiscard]] std::string find_host();

/// The whole job. `default_kind` is the value of LISLE_RANKS, or null.
[[nodiscard]] job_plan plan(const job_request &request, const char *default_kind);

} // namespace lisle::launch
