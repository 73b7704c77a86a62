// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a job are: which process runs a rank, on which worker thread, and on which node. A rank
// has a number in the job, and an index among the ranks of its node, by which the node's shared memory
// (fabric/local/node_segment.hpp) knows it. Says nothing about how ranks reach each other: routes do.
#pragma once

#include <cstddef>
#include <vector>

#include "world/job_shape.hpp"

namespace lisle {

/// Immutable, so any number of threads may ask.
class locality {
  public:
    /// @pre the shape is sound (job_shape::check); nodes have numbers from 0 without gaps
    explicit locality(const job_shape &shape);

    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(process_of_.size()); }
    [[nodiscard]] int processes() const noexcept { return static_cast<int>(processes_.size()); }
    [[nodiscard]] int nodes() const noexcept { return static_cast<int>(nodes_.size()); }

    // ---- processes ----

    [[nodiscard]] int process_of(int rank) const noexcept {
        return process_of_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] int first_rank(int process) const noexcept { return of(process).first_rank; }
    [[nodiscard]] int rank_count(int process) const noexcept { return of(process).ranks; }
    /// Threads that run the process's ranks if they are fibers, else 0.
    [[nodiscard]] int worker_count(int process) const noexcept { return of(process).workers; }
    /// Index among the process's ranks of the first one on a worker; on one past the last: their number.
    [[nodiscard]] int worker_begin(int process, int worker) const noexcept {
        return first_of_worker(worker, of(process).workers, of(process).ranks);
    }

    // ---- nodes ----

    [[nodiscard]] int node_of_process(int process) const noexcept { return of(process).node; }
    [[nodiscard]] int node_of(int rank) const noexcept { return of(process_of(rank)).node; }
    [[nodiscard]] int ranks_on(int node) const noexcept { return at(node).ranks; }
    [[nodiscard]] int processes_on(int node) const noexcept {
        return static_cast<int>(at(node).processes.size());
    }
    /// Threads of all processes that run ranks on a process's machine: what competes for its cores.
    [[nodiscard]] int threads_beside(int process) const noexcept {
        return threads_of_machine_[static_cast<std::size_t>(of(process).machine)];
    }
    /// A rank's index among the ranks of its node.
    [[nodiscard]] int index_on_node(int rank) const noexcept {
        const process_place &place = of(process_of(rank));
        return place.first_on_node + rank - place.first_rank;
    }
    /// The same for a process.
    [[nodiscard]] int process_index_on_node(int process) const noexcept { return of(process).index_on_node; }
    /// The process with this index among those of a node.
    [[nodiscard]] int process_on(int node, int index) const noexcept {
        return at(node).processes[static_cast<std::size_t>(index)];
    }
    /// The rank with this index among those of a node; takes O(log processes of the node).
    [[nodiscard]] int rank_on(int node, int index) const noexcept;
    /// The processes of one node, as a shape of their own.
    [[nodiscard]] job_shape shape_of_node(int node) const;

  private:
    struct process_place {
        int first_rank;
        int ranks;
        int workers;
        int node;
        int machine;
        int index_on_node;
        int first_on_node; ///< index of the first rank among those of the node
    };
    struct node_place {
        int ranks = 0;
        std::vector<int> processes;
    };
    [[nodiscard]] const process_place &of(int process) const noexcept {
        return processes_[static_cast<std::size_t>(process)];
    }
    [[nodiscard]] const node_place &at(int node) const noexcept {
        return nodes_[static_cast<std::size_t>(node)];
    }

    std::vector<process_place> processes_;
    std::vector<node_place> nodes_;
    std::vector<int> threads_of_machine_;
    std::vector<int> process_of_; ///< by rank
};

} // namespace lisle
