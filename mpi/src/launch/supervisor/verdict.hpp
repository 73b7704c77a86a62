// SPDX-License-Identifier: Apache-2.0
// Judges the end of a process of the job: whether it is a failure, whether it ends the job, and in which
// words it is reported. Reads the wait status and what the ranks have recorded in the table.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

#include "world/job_table.hpp"

namespace lisle::launch {

/// A process that has ended.
struct process_end {
    int process; ///< index in the job
    pid_t pid;
    int status;          ///< as waitpid gives it
    bool hosted;         ///< its ranks were threads or fibers
    std::string program; ///< as it stood on the command line
};

struct verdict {
    int exit_code = 0;           ///< of the job; 0 if nothing is wrong
    bool stops_job = false;      ///< the other ranks cannot go on
    bool alarming = false;       ///< to be reported even where the exit code alone would do
    std::string sentence;        ///< empty if there is nothing to say
    bool one_of_several = false; ///< the sentence names one rank of a process that had more
    bool consequence = false;    ///< of the failure of another rank, of which there may be a verdict, too
};

[[nodiscard]] verdict judge(const process_end &end, const job_table &segment);

/// "ranks 0 to 3 are lost with the process"
[[nodiscard]] std::string lost_together(const process_end &end, const job_table &segment);

/// Whether a rank has ended the job, and how.
[[nodiscard]] std::optional<verdict> judge_abort(const job_table &segment);

/// A thread rank may fail while its process goes on with the others (`status` is not looked at).
[[nodiscard]] std::optional<verdict> judge_running(const process_end &running, const job_table &segment);

/// SIGSEGV (Segmentation fault).
[[nodiscard]] std::string signal_name(int signal);

/// "the job has not ended within 1.5 s (--timeout)"
[[nodiscard]] std::string time_is_over(std::chrono::milliseconds limit);

} // namespace lisle::launch
