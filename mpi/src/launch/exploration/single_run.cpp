// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/single_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "base/settings.hpp"
#include "launch/common/hosted_programs.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/supervisor/front.hpp"

namespace lisle::launch {

namespace {

// A run that has not ended by then has no end, or is too long to be explored.
constexpr std::chrono::seconds usual_limit{10};

void redirect(int descriptor, const std::string &file, int flags) {
    const int opened = open(file.c_str(), flags | O_CLOEXEC, 0600);
    if (opened < 0 || dup2(opened, descriptor) < 0) {
        _exit(EXIT_FAILURE);
    }
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : exit_by_signal + WTERMSIG(status);
}

} // namespace

std::string content_of(const std::string &file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

std::string choice_folder::file(const std::string &name) const {
    return folder_.name() + "/" + name;
}

void choice_folder::give(const std::string &orders) const {
    unlink(file(choice::account_file).c_str());
    if (!(std::ofstream{file(choice::orders_file)} << orders << std::flush)) {
        give_up(1, "cannot write ", file(choice::orders_file), ": ", std::strerror(errno));
    }
}

job_runner::job_runner(job_request request, const job_plan &plan)
    : request_{std::move(request)}, plan_{plan} {
    request_.exploration.folder = folder_.name();
    request_.messages.quiet = true;
    request_.input.rank.reset(); // which all runs would have to share
    if (!request_.control.timeout) {
        request_.control.timeout = usual_limit;
    }
}

run_result job_runner::run(const choice::orders &given) const {
    folder_.give(choice::text_of(given));
    const std::string output = folder_.file("output");
    const std::string errors = folder_.file("errors");
    const pid_t child = fork();
    if (child < 0) {
        give_up(1, "--explore: cannot start a run: ", std::strerror(errno));
    }
    if (child == 0) {
        redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
        redirect(STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
        int code = 1;
        try {
            code = run_job(request_, plan_);
        } catch (const std::exception &error) {
            say(error.what());
        }
        _exit(code);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {.made = choice::read_account(content_of(folder_.file(choice::account_file))),
            .exit_code = exit_code_of(status),
            .output = content_of(output),
            .errors = content_of(errors)};
}

void leave_choices_open(job_request &request, const char *option) {
    for (program_request &each : request.programs) {
        if ((each.kind && *each.kind != rank_kind::fiber) || each.processes.value_or(1) != 1 ||
            each.ranks_per_process || each.workers.value_or(1) != 1) {
            give_up(exit_usage, option, " runs all ranks as fibers of one thread: leave out --ranks, -P, -T ",
                    "and --workers");
        }
        each.kind = rank_kind::fiber;
        each.workers = 1;
    }
    request.environment.variables.push_back({variable_of(setting::check), "2"});
    request.environment.variables.push_back({variable_of(setting::deadlock), "end"});
}

void number_receives(job_request &request) {
    request.environment.variables.push_back({variable_of(setting::check), "2"});
}

void prepare_choices(job_request &request) {
    exploration_request &wanted = request.exploration;
    if ((wanted.all ? 1 : 0) + (wanted.replay.empty() ? 0 : 1) + (wanted.record.empty() ? 0 : 1) > 1) {
        give_up(exit_usage, "--explore, --replay and --record exclude each other");
    }
    wanted.in_any_kind =
        !wanted.all && (!wanted.record.empty() || std::ranges::any_of(request.programs, [](const auto &each) {
            return each.kind && *each.kind != rank_kind::fiber;
        }));
    if (wanted.in_any_kind) {
        number_receives(request);
    } else {
        leave_choices_open(request, wanted.all ? "--explore" : "--replay");
    }
}

namespace {

bool is_same(const program_request &one, const program_request &other) {
    const auto same_variable = [](const variable &a, const variable &b) {
        return a.name == b.name && a.value == b.value;
    };
    return one.directory == other.directory && one.environment.inherits == other.environment.inherits &&
           std::ranges::equal(one.environment.variables, other.environment.variables, same_variable);
}

} // namespace

job_plan in_one_process(job_request &request, const job_plan &plan, const char *option) {
    for (auto &each : request.programs) {
        each.ranks = 0;
        if (!is_same(each, request.programs.front())) {
            give_up(exit_usage, option, " runs all programs in one process: let them have one directory and ",
                    "one environment (--wdir, -x)");
        }
    }
    std::vector<hosted_program> programs;
    process_plan whole = plan.processes.front();
    whole.ranks = 0;
    for (const process_plan &each : plan.processes) {
        whole.ranks += each.ranks;
        programs.push_back({each.ranks, {each.arguments.begin() + 1, each.arguments.end()}});
        whole.linked_with_lisle = whole.linked_with_lisle && each.linked_with_lisle;
        request.programs[each.program].ranks = *request.programs[each.program].ranks + each.ranks;
    }
    if (programs.size() > 1) {
        const std::string host = whole.arguments.front();
        whole.arguments = words_for_host(programs);
        whole.arguments.insert(whole.arguments.begin(), host);
    }
    return {{whole}};
}

std::string command_of(const job_request &request) {
    std::string words;
    for (const program_request &each : request.programs) {
        words += sentence(words.empty() ? "" : " :", " -n ", each.ranks.value_or(1));
        for (const auto &word : each.arguments) {
            words += " " + word;
        }
    }
    return words;
}

} // namespace lisle::launch
