// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/outer_launcher.hpp"

#include <algorithm>
#include <numeric>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "dynamic/start.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/plan/plan.hpp"

namespace lisle::launch {

namespace {

using words = std::vector<std::string>;

void append(words &to, const words &more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// a:2,b:1
std::string list_of(const std::vector<host_slots> &hosts) {
    std::string list;
    for (const host_slots &host : hosts) {
        list += sentence(list.empty() ? "" : ",", host.name, ":", host.slots);
    }
    return list;
}

/// Each group as program of its own, with what `options` says of it in front of its command.
template <class Options> void append_groups(words &to, const outer_job &job, const Options &options) {
    for (const process_group &group : job.groups) {
        if (&group != &job.groups.front()) {
            to.emplace_back(":");
        }
        append(to, options(group));
        append(to, {"-n", std::to_string(group.processes())});
        append(to, group.command);
    }
}

words hosts_option(const process_group &group) {
    return {"--host", list_of(group.hosts)};
}

/// Lets a launcher that hands down only what it is told take variables from its environment: the name of a
/// port would give every user of a host the place of a spawned job.
void append_hidden_variables(words &to) {
    if (!environment_text(dynamic::parent_port_variable).empty()) {
        append(to, {"-x", dynamic::parent_port_variable});
    }
}

words words_for_orterun(const outer_job &job) {
    words all{"--oversubscribe"};
    if (geteuid() == 0) {
        all.emplace_back("--allow-run-as-root");
    }
    if (!job.agent.empty()) {
        append(all, {"--mca", "plm", "rsh", "--mca", "plm_rsh_agent", job.agent});
    }
    if (job.recovery) {
        all.emplace_back("--enable-recovery");
    }
    append_hidden_variables(all);
    append_groups(all, job, hosts_option);
    return all;
}

words words_for_prterun(const outer_job &job) {
    words all{"--map-by", "slot:OVERSUBSCRIBE"};
    if (geteuid() == 0) {
        all.emplace_back("--allow-run-as-root");
    }
    if (!job.agent.empty()) {
        append(all, {"--prtemca", "plm", "ssh", "--prtemca", "plm_ssh_agent", job.agent});
    }
    if (job.recovery) {
        append(all, {"--runtime-options", "recoverable"});
    }
    append_hidden_variables(all);
    append_groups(all, job, hosts_option);
    return all;
}

/// Hydra has one list of hosts, which it fills in order.
words words_for_hydra(const outer_job &job) {
    std::vector<host_slots> hosts;
    for (const process_group &group : job.groups) {
        for (const host_slots &each : group.hosts) {
            if (!hosts.empty() && hosts.back().name == each.name) {
                hosts.back().slots += each.slots;
            } else {
                hosts.push_back(each);
            }
        }
    }
    words all{"-hosts", list_of(hosts)};
    if (!job.agent.empty()) {
        append(all, {"-launcher", "rsh", "-launcher-exec", job.agent});
    }
    if (job.recovery) {
        all.emplace_back("-disable-auto-cleanup");
    }
    append_groups(all, job, [](const process_group &) { return words{}; });
    return all;
}

words words_for_srun(const outer_job &job) {
    if (job.groups.size() > 1) {
        give_up(exit_usage, "srun starts processes that are all alike: give all the same number of ranks and "
                            "one program, or choose another launcher with --through");
    }
    const process_group &all_alike = job.groups.front();
    std::string list; // a host for each process
    for (const host_slots &host : all_alike.hosts) {
        for (int process = 0; process != host.slots; ++process) {
            list += sentence(list.empty() ? "" : ",", host.name);
        }
    }
    words all{"--mpi=pmix",
              "--distribution=arbitrary",
              "--overcommit",
              "-n",
              std::to_string(all_alike.processes()),
              "-w",
              list};
    if (job.recovery) {
        append(all, {"--no-kill", "--kill-on-bad-exit=0"});
    }
    append(all, all_alike.command);
    return all;
}

struct outer_launcher {
    std::string_view program;
    words (*words_of)(const outer_job &job);
};

constexpr outer_launcher known[] = {
    {"srun", words_for_srun},
    {"prterun", words_for_prterun},
    {"orterun", words_for_orterun},
    {"mpiexec.hydra", words_for_hydra},
};

const outer_launcher &row_of(std::string_view launcher) {
    const auto *const found = std::ranges::find(known, base_name(launcher), &outer_launcher::program);
    if (found == std::end(known)) {
        give_up(exit_usage, "--through ", launcher,
                " is none of ssh, srun, prterun, orterun and mpiexec.hydra");
    }
    return *found;
}

} // namespace

int process_group::processes() const {
    return std::accumulate(hosts.begin(), hosts.end(), 0,
                           [](int sum, const host_slots &host) { return sum + host.slots; });
}

std::optional<std::string> find_outer_launcher(const std::string &asked_for) {
    if (asked_for == "ssh") {
        return std::nullopt;
    }
    if (!asked_for.empty()) {
        static_cast<void>(row_of(asked_for));
        return find_program(asked_for, {});
    }
    if (environment_text("SLURM_JOB_ID").empty()) {
        return std::nullopt;
    }
    try {
        return find_program("srun", {});
    } catch (const launch_error &) {
        return std::nullopt; // not installed here
    }
}

std::vector<std::string> words_for(const std::string &launcher, const outer_job &job) {
    words all{launcher};
    append(all, row_of(launcher).words_of(job));
    return all;
}

} // namespace lisle::launch
