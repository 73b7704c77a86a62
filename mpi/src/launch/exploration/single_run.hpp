// SPDX-License-Identifier: Apache-2.0
// One run of a job that is told what to choose, with its output kept from the user.
#pragma once

#include <string>

#include "choice/choice.hpp"
#include "launch/common/temporary_folder.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// How a run has ended.
struct run_result {
    choice::account made;
    int exit_code = 0;
    std::string output, errors;
};

/// A folder that a run's orders and account lie in.
class choice_folder {
  public:
    [[nodiscard]] const std::string &name() const noexcept { return folder_.name(); }
    /// For the next run, of which nothing is known yet.
    void give(const std::string &orders) const;
    [[nodiscard]] std::string file(const std::string &name) const;

  private:
    temporary_folder folder_{"lisle-choices"};
};

class job_runner {
  public:
    /// @param request has been changed by explored_request() @param plan of it; both outlive this
    job_runner(job_request request, const job_plan &plan);
    [[nodiscard]] run_result run(const choice::orders &given) const;

  private:
    choice_folder folder_;
    job_request request_;
    const job_plan &plan_;
};

/// Makes the job one whose choices can be left open: all ranks fibers of one thread, everything checked.
/// Throws launch_error (exit_usage) if the command line wants something else. @param option that needs it
void leave_choices_open(job_request &request, const char *option);
/// What --explore, --replay and --record need. To be called before the job is planned.
void prepare_choices(job_request &request);
/// The same job with its ranks in one process, though they run several programs; the request says how many
/// run which. Throws launch_error (exit_usage) if these want different things of a process.
[[nodiscard]] job_plan in_one_process(job_request &request, const job_plan &plan, const char *option);
/// The words behind lislerun's options: programs, and how many ranks run each.
[[nodiscard]] std::string command_of(const job_request &request);

/// What a run wants that is not explored: ranks of any kind.
void number_receives(job_request &request);

[[nodiscard]] std::string content_of(const std::string &file);

} // namespace lisle::launch
