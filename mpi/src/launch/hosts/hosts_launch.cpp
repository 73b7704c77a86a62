// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/hosts_launch.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <unistd.h>

#include "base/settings.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/hosts/agent.hpp"
#include "launch/hosts/conductor.hpp"
#include "launch/plan/host_placement.hpp"
#include "launch/plan/process_environment.hpp"
#include "launch/supervisor/front.hpp"

namespace lisle::launch {

namespace {

constexpr std::string_view of_a_login[] = {
    "HOME",     "USER",  "LOGNAME", "MAIL",          "SHELL",          "TERM",      "PWD",
    "OLDPWD",   "SHLVL", "_",       "TMPDIR",        "DISPLAY",        "TTY",       "XAUTHORITY",
    "HOSTNAME", "HOST",  "EDITOR",  "INVOCATION_ID", "JOURNAL_STREAM", "LS_COLORS",
};
constexpr std::string_view prefixes_of_a_login[] = {"SSH_", "XDG_", "DBUS_", "LC_TERM", "GPG_", "KRB5CCNAME"};

bool belongs_to_login(std::string_view name) {
    return std::ranges::find(of_a_login, name) != std::end(of_a_login) ||
           std::ranges::any_of(prefixes_of_a_login,
                               [name](std::string_view each) { return name.starts_with(each); });
}

/// Numbers the hosts in the order of their first processes. Returns their names.
std::vector<std::string> number_hosts(const host_placement &placed, job_plan &plan) {
    std::vector<std::string> names;
    std::map<std::string_view, int> number_of;
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        const auto &name = placed.host_of_process[i];
        const auto [found, is_new] = number_of.try_emplace(name, static_cast<int>(names.size()));
        if (is_new) {
            names.push_back(name);
        }
        plan.processes[i].host = found->second;
    }
    return names;
}

/// Threads for the fibers of each process, as many as make use of all cores of a host that is like this one.
void count_workers(const job_request &request, job_plan &plan) {
    std::map<int, int> processes_of_host;
    for (const process_plan &each : plan.processes) {
        ++processes_of_host[each.host];
    }
    const int cores = std::max(1, cpu_set::allowed().count());
    for (process_plan &each : plan.processes) {
        if (each.workers != 0 && !request.programs[each.program].workers) {
            each.workers = std::min(each.ranks, std::max(1, cores / processes_of_host[each.host]));
        }
    }
}

void set_if_missing(std::vector<std::string> &environment, std::string_view name, std::string_view value) {
    const auto begin = sentence(name, "=");
    if (!value.empty() &&
        std::ranges::none_of(environment, [&](const auto &each) { return each.starts_with(begin); })) {
        environment.push_back(sentence(begin, value));
    }
}

} // namespace

std::vector<std::string> environment_for_hosts(char *const *inherited) {
    std::vector<std::string> all;
    for (auto each = inherited; *each != nullptr; ++each) {
        const std::string_view setting = *each;
        const auto name = setting.substr(0, setting.find('='));
        if (name.size() != setting.size() && !belongs_to_login(name) && !set_by_launcher_alone(name)) {
            all.emplace_back(setting);
        }
    }
    return all;
}

ways_to_hosts ways_of(const job_request &request) {
    ways_to_hosts ways;
    ways.agent = agent_words(request.remote);
    ways.lislerun = request.remote.prefix.empty() ? std::filesystem::read_symlink("/proc/self/exe").string()
                                                  : request.remote.prefix + "/bin/lislerun";
    ways.silence = value_of(setting::network_silence);
    // A host that is lost is not to take others along that are reached through it.
    ways.flat = request.control.recovery;
    return ways;
}

hosts_plan plan_for_hosts(job_request &request, const char *default_kind) {
    const auto placed = place_on_hosts(request, default_kind);
    hosts_plan result;
    result.job.plan = plan(request, default_kind);
    result.ways = ways_of(request);
    result.ways.names = number_hosts(placed, result.job.plan);
    count_workers(request, result.job.plan);
    result.job.id = make_job_id();
    result.job.directory = std::filesystem::current_path().string();
    result.job.request = request;
    result.slots = placed.slots;
    if (!request.remote.prefix.empty()) {
        for (process_plan &each : result.job.plan.processes) {
            if (each.hosted) {
                each.path = each.arguments.front() = request.remote.prefix + "/libexec/lisle/lisle-host";
            }
        }
    }
    return result;
}

int run_on_hosts(const job_request &request, hosts_plan plan) {
    plan.job.request.abi = request.abi;
    plan.job.request.report = request.report;
    auto &environment = plan.job.environment = environment_for_hosts(environ);
    set_if_missing(environment, variable_of(setting::universe_size), std::to_string(plan.slots));
    // For jobs that this one spawns.
    set_if_missing(environment, variable_of(setting::launch_agent), request.remote.launch_agent);
    return run_behind_front(
        request.control.forwarded_signals, [&](descriptor notes, const inherited_state &original) {
            return conductor{request, plan.ways, plan.job, std::move(notes), original}.run();
        });
}

} // namespace lisle::launch
