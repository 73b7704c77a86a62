// SPDX-License-Identifier: Apache-2.0
// What Lisle's own launcher sees of the waits of a running job's ranks, as far as they are on its machine.
#pragma once

#include <memory>
#include <vector>

#include "diagnosis/job_waits.hpp"
#include "library/stuck_watch.hpp"
#include "world/job_table.hpp"
#include "world/locality.hpp"

namespace lisle {

/// What a rank of the job has answered.
struct known_wait {
    int rank;
    rank_wait wait;
};

/// One thread uses it.
class waits_of_job {
  public:
    /// @param table of a job that create_job() has made, with what lies behind it
    explicit waits_of_job(const job_table &table);
    ~waits_of_job();
    waits_of_job(const waits_of_job &) = delete;
    waits_of_job &operator=(const waits_of_job &) = delete;

    /// Asks all ranks of this machine what they wait for. Takes up to a third of a second: ranks that are at
    /// work do not answer. Without the ranks of nodes whose processes have not met yet.
    [[nodiscard]] std::vector<known_wait> ask();

    /// Looks for ranks that can never go on (stuck_watch.hpp), in a job of one node.
    [[nodiscard]] stuck_watch::finding look_for_stuck();
    /// True if all ranks sleep or have ended, for now.
    [[nodiscard]] bool all_sleep() const;

  private:
    struct view;
    void open_nodes();

    const job_table &table_;
    const locality places_;
    std::vector<std::unique_ptr<view>> nodes_; ///< null: not on this machine, or its processes have not met
};

} // namespace lisle
