// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/wait_watch.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"
#include "launch/common/say.hpp"
#include "launch/supervisor/met_jobs.hpp"

namespace lisle::launch {

std::string wait_watch::look() {
    const stuck_watch::finding found = waits_.look_for_stuck();
    next_ = clock::now() + found.next;
    if (table_.deadlocked()) { // who has found it reports it
        return table_.deadlocked_among_jobs()
                   ? "its ranks and those of another job wait for each other; it is stopped"
                   : "";
    }
    if (found.report.empty()) {
        return look_among_jobs();
    }
    print_report(found.report);
    return sentence(found.ranks.size(), " of the ", table_.ranks(),
                    " ranks can never go on; the job is stopped");
}

bool wait_watch::uses_mpi(int rank) const noexcept {
    return table_.progress(rank) >= rank_progress::initialized;
}

std::string wait_watch::look_among_jobs() {
    const bool sleep_now = waits_.all_sleep();
    const bool sleep_on = std::exchange(asleep_before_, sleep_now) && sleep_now;
    pause_ -= pause_ > 0 ? 1 : 0;
    if (!sleep_on || pause_ > 0) {
        return {};
    }
    std::string why = look_at_met_jobs();
    if (why.empty()) {
        constexpr int most_doublings = 4;
        in_vain_ += in_vain_ < most_doublings ? 1 : 0;
        pause_ = 1 << in_vain_;
    }
    return why;
}

std::string wait_watch::look_at_met_jobs() {
    const std::vector<met_job> jobs = own_and_met_jobs(table_);
    const std::vector<const met_job *> roots = roots_of(jobs);
    const auto least =
        std::ranges::min_element(roots, {}, [](const met_job *each) { return each->job->id(); });
    if (jobs.size() < 2 || *least != &jobs.front()) {
        return {};
    }
    std::vector<watched_job *> all;
    std::ranges::transform(jobs, std::back_inserter(all), [](const met_job &each) { return each.job.get(); });
    const std::string report = look_for_standstill_of(all);
    if (report.empty()) {
        return {};
    }
    print_report(report);
    for (const met_job *const each : roots) {
        each->job->note_deadlock(); // its launcher stops it
    }
    return sentence("the ranks of ", jobs.size(), " jobs wait for each other; they are stopped");
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
