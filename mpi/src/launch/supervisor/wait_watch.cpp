// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/wait_watch.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"
#include "launch/common/say.hpp"
#include "launch/supervisor/spawned_jobs.hpp"

namespace lisle::launch {

std::string wait_watch::look() {
    const stuck_watch::finding found = waits_.look_for_stuck();
    next_ = clock::now() + found.next;
    if (table_.deadlocked()) { // the rank that has found it reports it
        return {};
    }
    if (found.report.empty()) {
        return look_among_jobs();
    }
    print_report(found.report);
    return sentence(found.ranks.size(), " of the ", table_.ranks(),
                    " ranks can never go on; the job is stopped");
}

std::string wait_watch::look_among_jobs() {
    const bool sleep_now = waits_.all_sleep();
    const bool sleep_on = std::exchange(asleep_before_, sleep_now) && sleep_now;
    pause_ -= pause_ > 0 ? 1 : 0;
    if (!sleep_on || pause_ > 0) {
        return {};
    }
    const auto jobs = own_and_spawned_jobs(table_);
    const std::string report = jobs.size() > 1 ? look_for_standstill_of(jobs) : std::string{};
    if (report.empty()) {
        constexpr int most_doublings = 4;
        in_vain_ += in_vain_ < most_doublings ? 1 : 0;
        pause_ = 1 << in_vain_;
        return {};
    }
    print_report(report);
    return sentence("the ranks of ", jobs.size(), " jobs wait for each other; they are stopped");
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
