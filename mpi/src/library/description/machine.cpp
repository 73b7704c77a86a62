// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/machine_limits.hpp"
#include "library/description/facts.hpp"

namespace lisle::description {

namespace {

constexpr const char *in_machine = "machine";

std::string first_line(const char *file) {
    std::string line;
    std::ifstream stream{file};
    std::getline(stream, line);
    return line;
}

int processors_allowed() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

void add_limit(facts &all, const char *name, const resource_limit &limit) {
    const bool limited = limit.value != UINT64_MAX;
    all.push_back({in_machine, name, limited ? std::to_string(limit.value) : "unlimited", limit.name});
}

struct process_limit {
    const char *name;
    __rlimit_resource resource;
    const char *remark;
};
constexpr process_limit process_limits[] = {
    {"open files", RLIMIT_NOFILE, "ulimit -n; a process needs some for each peer on other machines"},
    {"processes of the user", RLIMIT_NPROC, "ulimit -u"},
    {"locked memory", RLIMIT_MEMLOCK, "ulimit -l; network hardware registers memory under it"},
    {"stack", RLIMIT_STACK, "ulimit -s; thread ranks have stacks of this size"},
    {"address space", RLIMIT_AS, "ulimit -v"},
    {"core files", RLIMIT_CORE, "ulimit -c; LISLE_CRASH=core raises it"},
};

void add_process_limits(facts &all) {
    for (const process_limit &each : process_limits) {
        rlimit limit{};
        getrlimit(each.resource, &limit);
        all.push_back({in_machine, each.name,
                       limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur),
                       each.remark});
    }
}

/// Settings of the kernel that jobs notice, and what for.
constexpr std::pair<const char *, const char *> kernel_files[] = {
    {"/proc/sys/kernel/yama/ptrace_scope", "above 1, neither debuggers nor copies between processes work"},
    {"/proc/sys/vm/max_map_count", "each thread rank needs some for its copies of libraries"},
    {"/proc/sys/vm/overcommit_memory", "2: memory that is reserved counts as used"},
    {"/proc/sys/kernel/core_pattern", "where core files go"},
};

void add_kernel(facts &all) {
    utsname about{};
    uname(&about);
    all.push_back({in_machine, "kernel", sentence(about.sysname, " ", about.release), about.machine});
    for (const auto &[file, meaning] : kernel_files) {
        if (std::string value = first_line(file); !value.empty()) {
            all.push_back({in_machine, file, std::move(value), meaning});
        }
    }
}

void add_shared_memory(facts &all) {
    struct statvfs room {};
    if (statvfs("/dev/shm", &room) == 0) {
        all.push_back({in_machine, "/dev/shm", sentence(room.f_bavail * room.f_frsize, " bytes free"),
                       "windows and messages of a job are in anonymous memory, and need none of it"});
    }
}

} // namespace

void add_machine(facts &all) {
    add_kernel(all);
    all.push_back({in_machine, "processors",
                   sentence(processors_allowed(), " of ", sysconf(_SC_NPROCESSORS_CONF)),
                   "that this process may use"});
    all.push_back({in_machine, "page size", std::to_string(sysconf(_SC_PAGESIZE))});
    add_limit(all, "memory left, in bytes", memory_left());
    add_limit(all, "processes and threads left", tasks_left());
    add_process_limits(all);
    add_shared_memory(all);
}

} // namespace lisle::description
