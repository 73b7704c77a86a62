// SPDX-License-Identifier: Apache-2.0
// Ranks of other jobs that a process has met (MPI_Comm_connect, MPI_Comm_accept, MPI_Comm_join,
// MPI_Comm_spawn). They get numbers behind those of the process's own job, in the order of introduction, so
// the numbers differ between processes, and processes tell each other names.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "base/growing_array.hpp"
#include "world/process_id.hpp"

namespace lisle {

/// Names a rank among those of all jobs.
struct rank_name {
    job_id job;
    std::int64_t number; ///< in its job
    friend constexpr auto operator<=>(const rank_name &, const rank_name &) = default;
};

/// Thread-safe: what is known of a number stays as it is.
class other_jobs {
  public:
    /// Ranks of other jobs that a process can meet.
    static constexpr std::size_t most = std::size_t{1} << 20;

    /// @param ranks, processes, nodes of the own job: numbers begin behind them
    other_jobs(int ranks, int processes, int nodes) noexcept
        : ranks_{ranks}, next_process_{processes}, next_node_{nodes} {}

    /// False until the first rank has been met: then none of the others is asked.
    [[nodiscard]] bool any() const noexcept { return met_.size() != 0; }
    /// True if a rank has been met whose job's contexts carry this part (context_part_of()).
    [[nodiscard]] bool has_context_part(std::uint64_t part) const;
    /// The number of a rank; -1 if it has not been met.
    [[nodiscard]] int find(const rank_name &name) const;
    /// Gives a rank the next number, in place of one that it may have. @param process, node in its job
    int add(const rank_name &name, int process, int node);
    /// From now on find() does not return these numbers: their ranks can no longer be reached.
    void forget(int first, int count);
    /// The number that the next one will have.
    [[nodiscard]] int next() const noexcept { return ranks_ + static_cast<int>(met_.size()); }

    // ---- of a rank that has been met ----

    [[nodiscard]] const rank_name &name_of(int number) const noexcept { return at(number).name; }
    /// Numbers of its process and of its node, behind those of the own job.
    [[nodiscard]] int process_of(int number) const noexcept { return at(number).process; }
    [[nodiscard]] int node_of(int number) const noexcept { return at(number).node; }

  private:
    struct met_rank {
        rank_name name;
        int process;
        int node;
    };
    [[nodiscard]] const met_rank &at(int number) const noexcept {
        return met_[static_cast<std::size_t>(number - ranks_)];
    }

    const int ranks_;
    growing_array<met_rank> met_{most};
    mutable std::mutex adding_;
    // Under it; places are a job and a number in it.
    std::map<rank_name, int> numbers_;
    std::map<rank_name, int> processes_;
    std::map<rank_name, int> nodes_;
    std::set<std::uint64_t> context_parts_;
    int next_process_;
    int next_node_;
};

} // namespace lisle
