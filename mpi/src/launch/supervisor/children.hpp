// SPDX-License-Identifier: Apache-2.0
// The processes of a job, as children of the supervisor: starts them, notices their ends, signals them.
#pragma once

#include <optional>
#include <vector>

#include "launch/common/cpu_set.hpp"
#include "launch/common/descriptor.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "launch/streams/job_streams.hpp"
#include "launch/supervisor/spawn.hpp"
#include "launch/supervisor/verdict.hpp"
#include "world/job_table.hpp"

namespace lisle::launch {

class children {
  public:
    /// @param host whose processes of the plan these are
    /// @param table of the job, which all processes inherit
    /// @param original what they are not to inherit of the launcher
    children(const job_request &request, const job_plan &plan, int host, const job_table &table,
             const inherited_state &original);

    /// Their indices among the processes of the job.
    [[nodiscard]] const std::vector<std::size_t> &here() const noexcept { return here_; }
    [[nodiscard]] std::size_t count() const noexcept { return here_.size(); }
    [[nodiscard]] std::size_t alive() const noexcept { return alive_; }
    /// Whether the process with this index is there and runs several ranks, of which one may fail alone.
    [[nodiscard]] bool hosts_living_ranks(std::size_t index) const;

    /// Starts a process. Throws launch_error.
    void start(std::size_t index, const process_streams &streams);
    /// To be polled for reading: becomes ready when a child has ended.
    [[nodiscard]] int ends() const noexcept { return ends_.get(); }
    /// One of those that have ended and have not been told of, by its index; nothing if there is none.
    std::optional<std::size_t> next_ended();
    /// The process for a verdict.
    [[nodiscard]] process_end description_of(std::size_t index) const;
    /// Sends a signal to all processes of the job and all that they have started.
    void signal(int number) const;
    /// Prints how each rank ended.
    void say_exit_codes() const;

  private:
    struct member {
        pid_t pid = 0;
        bool alive = false;
        int status = 0; ///< as waitpid gives it, once it is not alive
    };
    void say_started(std::size_t index) const;

    const job_request &request_;
    const job_plan &plan_;
    const job_table &table_;
    const inherited_state &original_;
    descriptor handed_down_; ///< the table under a high number
    descriptor ends_;
    std::vector<cpu_set> places_; ///< empty without --bind-to
    std::vector<member> members_; ///< all processes of the job; those of other hosts are not alive
    std::vector<std::size_t> here_;
    std::size_t alive_ = 0;
};

} // namespace lisle::launch
