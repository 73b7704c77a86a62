// SPDX-License-Identifier: Apache-2.0
// One run of a job that is told what to choose, with its output kept from the user.
#pragma once

#include <string>

#include "choice/choice.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"

namespace lisle::launch {

/// How a run has ended.
struct run_result {
    choice::account made;
    int exit_code = 0;
    std::string output, errors;
};

/// A folder that a run's orders and account lie in; removed at the end.
class choice_folder {
  public:
    /// Throws launch_error.
    choice_folder();
    choice_folder(const choice_folder &) = delete;
    choice_folder &operator=(const choice_folder &) = delete;
    ~choice_folder();
    [[nodiscard]] const std::string &name() const noexcept { return name_; }
    /// For the next run, of which nothing is known yet.
    void give(const std::string &orders) const;
    [[nodiscard]] std::string file(const std::string &name) const;

  private:
    std::string name_;
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
/// Throws launch_error (exit_usage) if the job has become one of several processes.
void expect_one_process(const job_plan &plan, const char *option);

/// What a run wants that is not explored: ranks of any kind.
void number_receives(job_request &request);

[[nodiscard]] std::string content_of(const std::string &file);

} // namespace lisle::launch
