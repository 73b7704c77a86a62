// SPDX-License-Identifier: Apache-2.0
#include "world/job_shape.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

int job_shape::ranks() const noexcept {
    return std::accumulate(ranks_of_process.begin(), ranks_of_process.end(), 0);
}

int job_shape::workers_of(int process) const noexcept {
    const auto index = static_cast<std::size_t>(process);
    return workers_of_process.empty() ? 0 : std::min(workers_of_process[index], ranks_of_process[index]);
}

int job_shape::node_of(int process) const noexcept {
    return node_of_process.empty() ? 0 : node_of_process[static_cast<std::size_t>(process)];
}

int job_shape::machine_of(int process) const noexcept {
    return machine_of_process.empty() ? node_of(process)
                                      : machine_of_process[static_cast<std::size_t>(process)];
}

void job_shape::place_on_nodes(std::vector<int> nodes) {
    machine_of_process =
        node_of_process.empty() ? std::vector<int>(ranks_of_process.size(), 0) : std::move(node_of_process);
    node_of_process = std::move(nodes);
}

void job_shape::check() const {
    const bool every_process_has_ranks =
        std::all_of(ranks_of_process.begin(), ranks_of_process.end(), [](int n) { return n > 0; });
    if (ranks_of_process.empty() || !every_process_has_ranks || ranks() > most_ranks_of_job) {
        fail(MPI_ERR_ARG, "a job needs at least one rank in each process and at most ", most_ranks_of_job,
             " ranks in all");
    }
}

std::vector<int> pretended_nodes(int processes, std::int64_t nodes) {
    const bool one_by_one = nodes < -1;
    const std::int64_t wanted = one_by_one ? -nodes : nodes == -1 ? processes : nodes;
    const std::int64_t count = std::min<std::int64_t>(wanted, processes);
    std::vector<int> of_process;
    of_process.reserve(static_cast<std::size_t>(processes));
    for (int process = 0; process != processes; ++process) {
        of_process.push_back(static_cast<int>(one_by_one ? process % count : process * count / processes));
    }
    return of_process;
}

} // namespace lisle
