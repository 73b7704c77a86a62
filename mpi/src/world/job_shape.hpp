// SPDX-License-Identifier: Apache-2.0
// How a job is laid out over nodes, processes and worker threads.
#pragma once

#include <cstdint>
#include <vector>

namespace lisle {

/// The most ranks that a job can have.
inline constexpr int most_ranks_of_job = 1 << 22;

/// How many ranks each process of a job runs, on how many worker threads if they are fibers, and where.
struct job_shape {
    std::vector<int> ranks_of_process;
    std::vector<int> workers_of_process{}; ///< 0: a thread for each rank; empty: 0 for all
    std::vector<int> node_of_process{};    ///< nodes count from 0; empty: all are on node 0
    std::vector<int> machine_of_process{}; ///< whose cores it uses; empty: each node is a machine
    [[nodiscard]] int processes() const noexcept { return static_cast<int>(ranks_of_process.size()); }
    [[nodiscard]] int ranks() const noexcept;
    /// Workers of a process, never more than its ranks.
    [[nodiscard]] int workers_of(int process) const noexcept;
    [[nodiscard]] int node_of(int process) const noexcept;
    [[nodiscard]] int machine_of(int process) const noexcept;
    /// Counts processes as being on these nodes; their machines stay what their nodes have been.
    void place_on_nodes(std::vector<int> nodes);
    /// Throws mpi_error (MPI_ERR_ARG) unless each process has a rank and there are not too many.
    void check() const;
};

/// The node of each process if a setting gives the number of nodes (LISLE_NODES), independent of machines; at
/// most one node for each process. @param nodes in blocks; -1: a node for each process; below: -nodes, to
/// which processes are dealt one by one
[[nodiscard]] std::vector<int> pretended_nodes(int processes, std::int64_t nodes);

/// Index of the first rank of a worker among the ranks of its process. Ranks are dealt to workers in blocks,
/// so that neighbours share one.
[[nodiscard]] constexpr int first_of_worker(int worker, int workers, int ranks) noexcept {
    return static_cast<int>(static_cast<std::int64_t>(worker) * ranks / workers);
}

} // namespace lisle
