// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/hosts_job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/pointers.hpp"
#include "base/settings.hpp"
#include "dynamic/start.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/machine.hpp"
#include "launch/common/say.hpp"
#include "launch/options/command_line.hpp"
#include "launch/plan/host_placement.hpp"
#include "launch/plan/plan.hpp"
#include "launch/plan/process_environment.hpp"

namespace lisle::launch {

namespace {

using words = std::vector<std::string>;

void add_variable(words &to, std::string_view name, std::string_view value) {
    to.emplace_back("-x");
    to.emplace_back(sentence(name, "=", value));
}

/// The settings of Lisle in this environment, which launchers do not hand down. Every user of a host may read
/// its command lines, so the name of a port goes another way (outer_launcher.cpp).
void add_own_settings(words &to) {
    constexpr std::string_view prefix = "LISLE_";
    for (char **each = environ; *each != nullptr; ++each) {
        const std::string_view setting = *each;
        const auto equals = setting.find('=');
        const auto name = setting.substr(0, equals);
        if (equals != std::string_view::npos && name.starts_with(prefix) && !set_by_launcher_alone(name) &&
            name != dynamic::parent_port_variable) {
            add_variable(to, name, setting.substr(equals + 1));
        }
    }
}

void add_variables(words &to, const std::vector<variable> &wanted) {
    for (const variable &each : wanted) {
        if (each.value) {
            add_variable(to, each.name, *each.value);
        } else if (const auto value = environment_text(each.name.c_str()); !value.empty()) {
            add_variable(to, each.name, value);
        }
    }
}

/// lislerun as the task that runs this process. @param slots of all hosts
words command_of(const job_request &request, const program_request &program, const program_shape &shape,
                 int ranks, int slots, const std::string &self) {
    words all{self};
    if (shape.hosted) {
        all.insert(all.end(), {"--ranks", shape.fibers ? "fiber" : "thread", "-T", std::to_string(ranks)});
    }
    if (program.workers) {
        all.insert(all.end(), {"--workers", std::to_string(*program.workers)});
    }
    if (request.output.label) {
        all.emplace_back("--label");
    }
    if (!request.placement.binding.empty()) {
        all.insert(all.end(), {"--bind-to", request.placement.binding});
    }
    all.insert(all.end(), {"--wdir", program.directory.empty() ? std::filesystem::current_path().string()
                                                               : program.directory});
    add_variable(all, variable_of(setting::universe_size), std::to_string(slots));
    add_own_settings(all); // what is set twice counts as it is set last
    if (!request.remote.through.empty()) {
        add_variable(all, variable_of(setting::through), request.remote.through);
    }
    if (!request.remote.launch_agent.empty()) {
        add_variable(all, variable_of(setting::launch_agent), request.remote.launch_agent);
    }
    add_variables(all, request.environment.variables);
    add_variables(all, program.environment.variables);
    all.emplace_back("--");
    all.push_back(find_program(program.arguments.front(), program.directory, program.search_path));
    all.insert(all.end(), program.arguments.begin() + 1, program.arguments.end());
    return all;
}

void append(process_group &group, const std::string &host) {
    if (group.hosts.empty() || group.hosts.back().name != host) {
        group.hosts.push_back({host, 0});
    }
    ++group.hosts.back().slots;
}

} // namespace

std::string_view done_by_supervisor_alone(const job_request &request) {
    const output_request &output = request.output;
    if (output.has_files() || output.timestamps || !output.label_pattern.empty() || output.merge) {
        return "what becomes of the output (but --label)";
    }
    const auto inherits_nothing = [](const auto &each) {
        return each.environment.inherits == inherited_environment::none;
    };
    if (inherits_nothing(request) || std::ranges::any_of(request.programs, inherits_nothing)) {
        return "which variables are handed down";
    }
    if (request.input.all || request.input.rank != 0) {
        return "who reads the input";
    }
    if (request.control.timeout) {
        return "a limit on the job's time";
    }
    return {};
}

bool names_other_hosts(const job_request &request) {
    return std::ranges::any_of(request.programs, [](const program_request &program) {
        return std::ranges::any_of(program.hosts,
                                   [](const host_slots &host) { return !is_this_machine(host.name); });
    });
}

outer_job plan_on_hosts(job_request request, const char *default_kind, const std::string &self) {
    const host_placement placed = place_on_hosts(request, default_kind);
    const auto shapes = shapes_of(request, default_kind);
    outer_job result{
        .groups = {}, .agent = request.remote.launch_agent, .recovery = request.control.recovery};
    std::size_t next = 0;
    for (std::size_t i = 0; i != shapes.size(); ++i) {
        for (const int ranks : shapes[i].ranks_of_process) {
            auto command = command_of(request, request.programs[i], shapes[i], ranks, placed.slots, self);
            if (result.groups.empty() || result.groups.back().command != command) {
                result.groups.push_back({{}, std::move(command)});
            }
            append(result.groups.back(), placed.host_of_process[next++]);
        }
    }
    return result;
}

std::optional<std::string> outer_launcher_of(job_request &request) {
    if (request.remote.through.empty()) {
        request.remote.through = text_of(setting::through);
    }
    return find_outer_launcher(request.remote.through);
}

void start_on_hosts(job_request request, const std::string &launcher, const char *default_kind) {
    if (const auto what = done_by_supervisor_alone(request); !what.empty()) {
        give_up(exit_usage, what, " cannot be chosen for a job that ", launcher, " starts (--through ssh)");
    }
    if (request.remote.launch_agent.empty()) {
        request.remote.launch_agent = text_of(setting::launch_agent);
    }
    const bool verbose = request.messages.verbose;
    const bool launch = request.control.launch;
    const auto all =
        words_for(launcher, plan_on_hosts(std::move(request), default_kind,
                                          std::filesystem::read_symlink("/proc/self/exe").string()));
    if (verbose || !launch) {
        std::string line;
        for (const std::string &word : all) {
            line += sentence(line.empty() ? "" : " ", word);
        }
        say(line);
    }
    if (!launch) {
        std::exit(0);
    }
    execv(launcher.c_str(), pointers_to(all).data());
    give_up(exit_not_executable, "cannot start '", launcher, "': ", std::strerror(errno));
}

} // namespace lisle::launch
