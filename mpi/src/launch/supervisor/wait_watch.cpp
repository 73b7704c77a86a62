// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/wait_watch.hpp"

#include <algorithm>
#include <ranges>

#include "base/error.hpp"
#include "launch/common/say.hpp"

namespace lisle::launch {

std::string wait_watch::look() {
    const stuck_watch::finding found = waits_.look_for_stuck();
    next_ = clock::now() + found.next;
    if (found.report.empty() || table_.deadlocked()) { // the rank that has found it reports it
        return {};
    }
    print_report(found.report);
    return sentence(found.ranks.size(), " of the ", table_.ranks(),
                    " ranks can never go on; the job is stopped");
}

std::string wait_watch::describe(const std::string &why) {
    const auto uses_mpi = [this](int rank) { return table_.progress(rank) >= rank_progress::initialized; };
    if (std::ranges::none_of(std::views::iota(0, table_.ranks()), uses_mpi)) {
        return said("no rank of the job has called MPI_Init");
    }
    if (auto report = waits_.report(why); !report.empty()) {
        return report;
    }
    std::string here;
    for (int rank = 0; rank < table_.ranks(); ++rank) {
        if (table_.progress(rank) == rank_progress::initialized) {
            here += sentence(here.empty() ? "" : ", ", rank);
        }
    }
    return said(
        sentence("of a job on several nodes the launcher does not see what ranks wait for; of those that "
                 "run here these have begun MPI and not ended it: ",
                 here.empty() ? "none" : here));
}

} // namespace lisle::launch
