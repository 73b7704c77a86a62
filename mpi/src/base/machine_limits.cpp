// SPDX-License-Identifier: Apache-2.0
#include "base/machine_limits.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/control_groups.hpp"
#include "base/error.hpp"

namespace lisle {

namespace {

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

/// @param controller the name that version 1 has for it
void look_at_groups(resource_limit &limit, std::string_view controller, const group_files &version_1,
                    const group_files &version_2) {
    for (const control_group &group : control_groups(controller)) {
        const group_files &files = group.version == 1 ? version_1 : version_2;
        if (const auto left = left_in(group.folder, files)) {
            limit.lower(*left, sentence("the control group's ", files.limit));
        }
    }
}

} // namespace

resource_limit memory_left() {
    resource_limit limit;
    if (const auto kib = entries_in("/proc/meminfo", {"MemAvailable:"}); kib != 0) {
        limit.lower(kib << 10, "MemAvailable");
    }
    look_at_groups(
        limit, "memory",
        {"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}},
        {"memory.max", "memory.current", {"inactive_file", "active_file"}});
    return limit;
}

resource_limit tasks_left() {
    resource_limit limit;
    for (const auto *name : {"pid_max", "threads-max"}) {
        if (const auto most = number_in(std::filesystem::path{"/proc/sys/kernel"} / name)) {
            limit.lower(*most, sentence("kernel.", name));
        }
    }
    const group_files tasks{"pids.max", "pids.current", {}};
    look_at_groups(limit, "pids", tasks, tasks);
    return limit;
}

} // namespace lisle
