// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/resources.hpp"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/shared_area_layout.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

// Measured with a program that does nothing between MPI_Init and MPI_Finalize.
constexpr std::uint64_t bytes_of_process = 480 << 10; ///< private memory, page tables, kernel stack
constexpr std::uint64_t bytes_of_thread = 90 << 10;   ///< of a rank that is one, or of a worker of fibers
constexpr std::uint64_t bytes_of_fiber = 20 << 10;
constexpr std::uint64_t bytes_of_peer = 96;   ///< what each process keeps about each rank of the job
constexpr std::uint64_t bytes_of_entry = 128; ///< of a rank in the segment's tables

std::uint64_t segment_bytes(int ranks) {
    std::uint64_t of_rank = bytes_of_entry;
    for (int track = 0; track < fabric::tracks_of_job(ranks); ++track) {
        of_rank += fabric::mailbox_layout::for_job_of(ranks, track).bytes();
    }
    return of_rank * static_cast<std::uint64_t>(ranks) +
           fabric::local::shared_area_layout::for_job_of(ranks).bytes();
}

void look_at_own_limits(resource_limits &limits) {
    rlimit limit{};
    // The superuser is not held by this one.
    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        limits.tasks.lower(limit.rlim_cur, "ulimit -u");
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max != RLIM_INFINITY) {
        limits.descriptors.lower(limit.rlim_max, "ulimit -Hn");
    }
}

constexpr const char *way_out =
    "; start fewer ranks, or more of them in each process (--ranks thread or --ranks fiber)";

} // namespace

resource_need need_of(const job_request &request, const job_plan &plan) {
    const auto ranks = static_cast<std::uint64_t>(plan.ranks());
    const auto processes = plan.processes.size();
    resource_need need{segment_bytes(plan.ranks()) + processes * (bytes_of_process + ranks * bytes_of_peer),
                       2, 16};
    for (const auto &process : plan.processes) {
        const auto hosted = process.hosted ? static_cast<std::uint64_t>(process.ranks) : 0;
        need.bytes += hosted * (process.workers != 0 ? bytes_of_fiber : bytes_of_thread);
        need.tasks += 1 + (process.workers != 0 ? static_cast<std::uint64_t>(process.workers) : hosted);
    }
    if (request.output.any()) {
        need.descriptors += 2 * processes; // pipes
    }
    if (request.input.all) {
        need.descriptors += processes;
    }
    const auto &output = request.output;
    need.descriptors +=
        ranks * ((output.output_pattern.empty() ? 0U : 1U) + (output.errors_pattern.empty() ? 0U : 1U) +
                 (output.directory.empty() ? 0U : 2U) + (output.file.empty() ? 0U : 2U));
    return need;
}

resource_limits limits_here() {
    resource_limits limits{.bytes = memory_left(), .tasks = tasks_left(), .descriptors = {}};
    look_at_own_limits(limits);
    return limits;
}

void check_resources(int ranks, const resource_need &need, const resource_limits &limits) {
    if (need.tasks > limits.tasks.value) {
        give_up(1, "this job of ", ranks, " ranks needs ", need.tasks,
                " processes and threads, the limit is ", limits.tasks.value, " (", limits.tasks.name, ")",
                way_out);
    }
    if (need.bytes > limits.bytes.value) {
        give_up(1, "this job of ", ranks, " ranks needs at least ", (need.bytes + (1 << 20) - 1) >> 20,
                " MiB of memory, and ", limits.bytes.value >> 20, " MiB are left (", limits.bytes.name, ")",
                way_out);
    }
    if (need.descriptors > limits.descriptors.value) {
        give_up(1, "for the output and input of ", ranks, " ranks the launcher needs ", need.descriptors,
                " open files, the limit is ", limits.descriptors.value, " (", limits.descriptors.name,
                "); raise it, or leave out what names files or labels");
    }
}

} // namespace lisle::launch
