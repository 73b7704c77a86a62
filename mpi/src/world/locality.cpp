// SPDX-License-Identifier: Apache-2.0
#include "world/locality.hpp"

#include <algorithm>

namespace lisle {

locality::locality(const job_shape &shape) {
    process_of_.reserve(static_cast<std::size_t>(shape.ranks()));
    for (int process = 0; process < shape.processes(); ++process) {
        const int node = shape.node_of(process);
        const int machine = shape.machine_of(process);
        const int ranks = shape.ranks_of_process[static_cast<std::size_t>(process)];
        const int workers = shape.workers_of(process);
        if (node >= nodes()) {
            nodes_.resize(static_cast<std::size_t>(node) + 1);
        }
        if (machine >= static_cast<int>(threads_of_machine_.size())) {
            threads_of_machine_.resize(static_cast<std::size_t>(machine) + 1);
        }
        node_place &home = nodes_[static_cast<std::size_t>(node)];
        processes_.push_back({.first_rank = this->ranks(),
                              .ranks = ranks,
                              .workers = workers,
                              .node = node,
                              .machine = machine,
                              .index_on_node = static_cast<int>(home.processes.size()),
                              .first_on_node = home.ranks});
        home.processes.push_back(process);
        home.ranks += ranks;
        threads_of_machine_[static_cast<std::size_t>(machine)] += workers != 0 ? workers : ranks;
        process_of_.insert(process_of_.end(), static_cast<std::size_t>(ranks), process);
    }
}

int locality::rank_on(int node, int index) const noexcept {
    const std::vector<int> &here = at(node).processes;
    const auto after = std::upper_bound(here.begin(), here.end(), index, [this](int wanted, int process) {
        return wanted < of(process).first_on_node;
    });
    const process_place &place = of(*std::prev(after));
    return place.first_rank + index - place.first_on_node;
}

job_shape locality::shape_of_node(int node) const {
    job_shape shape;
    for (const int process : at(node).processes) {
        shape.ranks_of_process.push_back(rank_count(process));
        shape.workers_of_process.push_back(worker_count(process));
    }
    return shape;
}

} // namespace lisle
