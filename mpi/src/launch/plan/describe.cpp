// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/describe.hpp"

#include <unistd.h>

#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/machine.hpp"

namespace lisle::launch {

namespace {

std::string map_of(const job_request &request, const job_plan &plan) {
    auto text = sentence("Map of the job: ", plan.ranks(), plan.ranks() == 1 ? " rank in " : " ranks in ",
                         plan.processes.size(),
                         plan.processes.size() == 1 ? " process on " : " processes on ", host_name(), "\n");
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        const auto &process = plan.processes[i];
        std::string kind;
        if (process.workers != 0) {
            kind = sentence(", fibers on ", process.workers, process.workers == 1 ? " thread" : " threads");
        } else if (process.hosted) {
            kind = process.ranks == 1 ? ", a thread" : ", threads";
        }
        text += sentence("  process ", i, ": ", ranks_of(process), kind, ", ",
                         request.programs[process.program].arguments.front(), "\n");
    }
    return text;
}

std::string rank_map_of(const job_plan &plan) {
    auto text = "(" + host_name() + ":";
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        text += sentence(rank == 0 ? "" : ",", rank);
    }
    return text + ")\n";
}

std::string allocation() {
    const auto processors = cpu_set::allowed();
    const long bytes_of_page = sysconf(_SC_PAGESIZE);
    return sentence("Allocation: ", host_name(), ", processors ", processors.list(), " (", processors.count(),
                    " in ", places("core").size(), " cores, ", places("package").size(), " packages, ",
                    places("numa").size(), " memory nodes), memory ",
                    (sysconf(_SC_PHYS_PAGES) * bytes_of_page) >> 20, " MiB\n");
}

} // namespace

std::string ranks_of(const process_plan &process) {
    return process.ranks == 1
               ? sentence("rank ", process.first_rank)
               : sentence("ranks ", process.first_rank, " to ", process.first_rank + process.ranks - 1);
}

std::string description_of(const job_request &request, const job_plan &plan) {
    std::string text;
    if (request.display.allocation) {
        text += allocation();
    }
    if (request.display.map) {
        text += map_of(request, plan);
    }
    if (request.display.rank_map) {
        text += rank_map_of(plan);
    }
    return text;
}

std::vector<std::string> bindings_of(const job_request &request, const job_plan &plan) {
    const auto found = places(request.placement.binding);
    if (found.empty()) {
        return {sentence(plan.ranks() == 1 ? "rank 0 is" : sentence("ranks 0 to ", plan.ranks() - 1, " are"),
                         " not bound: processors ", cpu_set::allowed().list())};
    }
    std::vector<std::string> sentences;
    const auto place_of = [&](int number) {
        return found[static_cast<std::size_t>(number) % found.size()].list();
    };
    for (const auto &process : plan.processes) {
        if (process.workers != 0) { // its threads are bound, and fibers stay on theirs
            for (int worker = 0; worker < process.workers; ++worker) {
                sentences.push_back(sentence("thread ", worker, " of ", ranks_of(process),
                                             " is bound to processors ", place_of(worker)));
            }
            continue;
        }
        for (int rank = process.first_rank; rank < process.first_rank + process.ranks; ++rank) {
            sentences.push_back(sentence("rank ", rank, " is bound to processors ", place_of(rank)));
        }
    }
    return sentences;
}

} // namespace lisle::launch
