// SPDX-License-Identifier: Apache-2.0
#include "launch/plan/resources.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/shared_area_layout.hpp"
#include "launch/common/control_groups.hpp"
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

void lower(resource_limit &limit, std::uint64_t value, std::string name) {
    if (value < limit.value) {
        limit.value = value;
        limit.name.swap(name);
    }
}

std::uint64_t less(std::uint64_t all, std::uint64_t used) {
    return all - std::min(all, used);
}

/// What a control group leaves, by the names that its version gives to files.
struct group_files {
    const char *limit;
    const char *used;
    std::initializer_list<std::string_view> reclaimable; ///< counted as used, but given up on demand
};

std::optional<std::uint64_t> left_in(const std::filesystem::path &group, const group_files &files) {
    const auto all = number_in(group / files.limit);
    if (!all) {
        return std::nullopt;
    }
    const auto used = number_in(group / files.used).value_or(0);
    return less(*all, less(used, entries_in(group / "memory.stat", files.reclaimable)));
}

void look_at_groups(resource_limits &limits) {
    static const group_files memory_2{"memory.max", "memory.current", {"inactive_file", "active_file"}};
    static const group_files memory_1{
        "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
    static const group_files tasks{"pids.max", "pids.current", {}};
    const auto look = [](resource_limit &limit, const control_group &group, const group_files &files) {
        if (const auto left = left_in(group.folder, files)) {
            lower(limit, *left, sentence("the control group's ", files.limit));
        }
    };
    for (const auto &group : control_groups("memory")) {
        look(limits.bytes, group, group.version == 1 ? memory_1 : memory_2);
    }
    for (const auto &group : control_groups("pids")) {
        look(limits.tasks, group, tasks);
    }
}

void look_at_machine(resource_limits &limits) {
    if (const auto kib = entries_in("/proc/meminfo", {"MemAvailable:"}); kib != 0) {
        lower(limits.bytes, kib << 10, "MemAvailable");
    }
    for (const auto *name : {"pid_max", "threads-max"}) {
        if (const auto most = number_in(std::filesystem::path{"/proc/sys/kernel"} / name)) {
            lower(limits.tasks, *most, sentence("kernel.", name));
        }
    }
}

void look_at_own_limits(resource_limits &limits) {
    rlimit limit{};
    // The superuser is not held by this one.
    if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        lower(limits.tasks, limit.rlim_cur, "ulimit -u");
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max != RLIM_INFINITY) {
        lower(limits.descriptors, limit.rlim_max, "ulimit -Hn");
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
    resource_limits limits;
    look_at_machine(limits);
    look_at_groups(limits);
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
