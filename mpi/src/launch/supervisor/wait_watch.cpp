// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/wait_watch.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"
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

bool wait_watch::uses_mpi(int rank) const noexcept {
    return table_.progress(rank) >= rank_progress::initialized;
}

std::string wait_watch::describe(const std::string &why) {
    if (std::ranges::none_of(std::views::iota(0, table_.ranks()),
                             [this](int rank) { return uses_mpi(rank); })) {
        return said("no rank of the job has called MPI_Init");
    }
    job_waits all(static_cast<std::size_t>(table_.ranks()));
    for (known_wait &each : waits_.ask()) {
        all[static_cast<std::size_t>(each.rank)] = std::move(each.wait);
    }
    return status_report(all, why);
}

} // namespace lisle::launch
