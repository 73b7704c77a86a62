// SPDX-License-Identifier: Apache-2.0
#include "base/machine_limits.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/error.hpp"

namespace lisle {

namespace {

/// The first number of a file; nothing if there is none, as where it says "max".
std::optional<std::uint64_t> number_in(const std::filesystem::path &file) {
    std::uint64_t number = 0;
    return std::ifstream{file} >> number ? std::optional{number} : std::nullopt;
}

/// The sum of the entries of a file like memory.stat that have one of these names.
std::uint64_t entries_in(const std::filesystem::path &file, std::initializer_list<std::string_view> names) {
    std::ifstream stream{file};
    std::uint64_t sum = 0;
    for (std::string line; std::getline(stream, line);) { // name and number, and perhaps a unit
        std::istringstream words{line};
        std::string name;
        std::uint64_t value = 0;
        words >> name >> value;
        sum += std::find(names.begin(), names.end(), name) != names.end() ? value : 0;
    }
    return sum;
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

/// The group and those around it, as far as they can be seen here: a container may see its own as the root.
void look_at_groups(resource_limit &limit, const std::filesystem::path &root, std::string path,
                    const group_files &files) {
    while (true) {
        const auto group = root / path.substr(std::min<std::size_t>(1, path.size()));
        if (const auto left = left_in(group, files)) {
            limit.lower(*left, sentence("the control group's ", files.limit));
        }
        if (path.size() <= 1) {
            return;
        }
        path.resize(std::max<std::size_t>(1, path.rfind('/')));
    }
}

/// @param controller the name that version 1 has for it
void look_at_groups(resource_limit &limit, std::string_view controller, const group_files &version_1,
                    const group_files &version_2) {
    const std::filesystem::path mount = "/sys/fs/cgroup";
    std::ifstream membership{"/proc/self/cgroup"};
    for (std::string line; std::getline(membership, line);) { // number:controllers:path
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto path = line.substr(second + 1);
        if (controllers.empty()) {
            look_at_groups(limit, mount, path, version_2);
        } else if (controllers == controller) {
            look_at_groups(limit, mount / controller, path, version_1);
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
