// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/children.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/plan/describe.hpp"
#include "launch/plan/process_environment.hpp"
#include "launch/supervisor/descendants.hpp"
#include "launch/supervisor/signals.hpp"

namespace lisle::launch {

namespace {

// Scripts use small descriptors for themselves, so the job's table gets a number that they leave alone.
constexpr int high_descriptor = 100;

descriptor hand_down(const job_table &table) {
    int number = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, high_descriptor);
    if (number < 0) { // a low limit on open files
        number = fcntl(table.descriptor(), F_DUPFD_CLOEXEC, 3);
    }
    if (number < 0) {
        give_up(1, "cannot hand the job's table down: ", std::strerror(errno));
    }
    return descriptor{number};
}

void drain(int ends) {
    signalfd_siginfo seen;
    while (read(ends, &seen, sizeof seen) > 0) {
        // one signal may stand for many ends
    }
}

} // namespace

children::children(const job_request &request, const job_plan &plan, int host, const job_table &table,
                   const inherited_state &original)
    : request_{request}, plan_{plan}, table_{table}, original_{original}, handed_down_{hand_down(table)},
      ends_{signal_source(sigset_t{})}, places_{places(request.placement.binding)},
      members_(plan.processes.size()) {
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        if (plan.processes[i].host == host) {
            here_.push_back(i);
        }
    }
}

bool children::hosts_living_ranks(std::size_t index) const {
    return members_[index].alive && plan_.processes[index].hosted;
}

void children::start(std::size_t index, const process_streams &streams) {
    const auto &process = plan_.processes[index];
    process_start start;
    start.path = process.path;
    start.arguments = process.arguments;
    if (request_.numbered_names && !process.hosted) {
        start.arguments.front() += "-" + std::to_string(process.first_rank);
    }
    start.environment = environment_of(process, index, request_, table_.ranks(), handed_down_.get(), environ);
    start.directory = request_.programs[process.program].directory;
    start.handed_down = handed_down_.get();
    start.input = streams.input ? streams.input.get() : -1;
    start.output = streams.output.number();
    start.errors = streams.errors.number();
    if (!places_.empty() && !process.hosted) {
        const int first_here = plan_.processes[here_.front()].first_rank;
        start.placement =
            &places_[static_cast<std::size_t>(process.first_rank - first_here) % places_.size()];
    }
    members_[index] = {spawn(start, original_), true};
    ++alive_;
    say_started(index);
}

void children::say_started(std::size_t index) const {
    const auto &process = plan_.processes[index];
    if (request_.messages.verbose) {
        say(sentence(ranks_of(process), ": process ", members_[index].pid, ", ",
                     request_.programs[process.program].arguments.front()));
    }
}

std::optional<std::size_t> children::next_ended() {
    drain(ends_.get());
    while (alive_ > 0) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid <= 0) {
            break;
        }
        const auto found =
            std::ranges::find_if(members_, [&](const member &each) { return each.alive && each.pid == pid; });
        if (found != members_.end()) { // others are orphans that ranks left behind
            found->alive = false;
            found->status = status;
            --alive_;
            return static_cast<std::size_t>(found - members_.begin());
        }
    }
    return std::nullopt;
}

process_end children::description_of(std::size_t index) const {
    const auto &process = plan_.processes[index];
    return {static_cast<int>(index), members_[index].pid, members_[index].status, process.hosted,
            request_.programs[process.program].arguments.front()};
}

void children::signal(int number) const {
    const auto all = descendants();
    for (const auto pid : all) {
        kill(pid, number);
    }
    if (all.empty()) { // no /proc: at least those that are known
        for (const auto &each : members_) {
            if (each.alive) {
                kill(each.pid, number);
            }
        }
    }
}

void children::say_exit_codes() const {
    for (const std::size_t i : here_) {
        const auto &process = plan_.processes[i];
        const int status = members_[i].status;
        if (WIFSIGNALED(status)) {
            say(sentence(ranks_of(process), ": ", signal_name(WTERMSIG(status))));
            continue;
        }
        for (int rank = process.first_rank; rank < process.first_rank + process.ranks; ++rank) {
            const int code = process.hosted ? table_.exit_status(rank) & 0xff : WEXITSTATUS(status);
            say(sentence("rank ", rank, ": exit code ", code));
        }
    }
}

} // namespace lisle::launch
