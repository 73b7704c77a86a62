// SPDX-License-Identifier: Apache-2.0
// Options about how the launcher itself behaves.
#include <algorithm>
#include <array>
#include <csignal>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

namespace lisle::launch {

namespace {

void forward_signals(option_use &use) {
    for (const auto name : split(use.value(), ',')) {
        if (name.empty() || name == "none") {
            continue;
        }
        const int signal = signal_number(use.shown, name);
        if (signal == SIGKILL || signal == SIGSTOP || signal == SIGCHLD) {
            give_up(exit_usage, use.shown, " ", name, ": this signal cannot be passed on");
        }
        use.job.control.forwarded_signals.push_back(signal);
    }
}

/// Open MPI 5's collection of words; those that say more than how its daemons behave.
void set_runtime_options(option_use &use) {
    for (const auto word : split(use.value(), ',')) {
        if (word.starts_with("donotlaunch") || word.starts_with("do-not-launch")) {
            use.job.control.launch = false;
        } else {
            use.job.messages.remarks.push_back(
                sentence(use.shown, " ", word, " changes nothing: Lisle has no daemons"));
        }
    }
}

void go_on_after_failures(option_use &use) {
    use.job.control.recovery = true;
    use.job.environment.variables.push_back({variable_of(setting::recovery), "1"});
}

/// Open MPI's words.
void choose_fault_tolerance(option_use &use) {
    constexpr std::array<std::string_view, 4> off{"none", "no", "0", "false"};
    constexpr std::array<std::string_view, 6> on{"ulfm", "mpi", "all", "yes", "1", "true"};
    const auto kind = use.value();
    if (std::ranges::find(on, kind) != on.end()) {
        go_on_after_failures(use);
    } else if (std::ranges::find(off, kind) == off.end()) {
        give_up(exit_usage, use.shown, " is ulfm or none, not '", kind, "'");
    }
}

void explore(option_use &use) {
    use.job.exploration.all = true;
    if (const auto how = use.attached()) {
        constexpr std::string_view by_chance = "random:";
        const auto count =
            how->starts_with(by_chance) ? whole_number(how->substr(by_chance.size())) : std::optional<int>{};
        if (!count || *count == 0) {
            give_up(exit_usage, use.shown, "=", *how, ": what can be told is ", use.shown,
                    "=random:N, so many runs by chance");
        }
        use.job.exploration.random = static_cast<std::uint64_t>(*count);
    }
}

void explore_sends(option_use &use) {
    constexpr std::array<std::pair<std::string_view, explored_sends>, 4> ways{
        {{"several", explored_sends::several},
         {"buffered", explored_sends::buffered},
         {"waiting", explored_sends::waiting},
         {"each", explored_sends::each}}};
    const auto told = use.value();
    const auto way = std::ranges::find(ways, told, &std::pair<std::string_view, explored_sends>::first);
    if (way == ways.end()) {
        give_up(exit_usage, use.shown, " is several, buffered, waiting or each, not '", told, "'");
    }
    use.job.exploration.sends = way->second;
}

void explore_mistakes(option_use &use) {
    const auto told = use.value();
    if (told != "fail" && told != "ignore") {
        give_up(exit_usage, use.shown, " is fail or ignore, not '", told, "'");
    }
    use.job.exploration.mistakes_fail = told == "fail";
}

constexpr option control_table[] = {
    {"with-ft", "KIND", choose_fault_tolerance,
     "ulfm: the job goes on when a process fails, and the others can recover (MPIX_Comm_shrink); processes "
     "share no memory then, and each rank has one of its own unless -P or -T says otherwise. none: a failure "
     "ends the job (the default)"},
    {"enable-recovery|continuous", "", go_on_after_failures, ""},
    {"timeout", "SECONDS",
     [](option_use &use) { use.job.control.timeout = seconds_of(use.shown, use.value()); },
     "stop the job (exit code 124) if it has not ended by then; also MPIEXEC_TIMEOUT"},
    {"explore", "[=random:N]", explore,
     "run the program, its ranks as fibers, in all the ways that MPI allows: other matchings of receives "
     "from "
     "any source and of probes, other orders of completion, sends that are buffered and sends that are not; "
     "random:N makes N runs by chance. The first run that fails is told and kept (--explore-file)"},
    {"explore-time", "SECONDS",
     [](option_use &use) { use.job.exploration.limit = seconds_of(use.shown, use.value()); },
     "end --explore after this time (without it: 60)"},
    {"explore-runs", "N", [](option_use &use) { use.job.exploration.runs = use.number(); },
     "end --explore after so many runs"},
    {"explore-sends", "WAY", explore_sends,
     "in the runs of --explore sends of the standard mode are all buffered; or they are all waiting for "
     "their "
     "receives; or each is one of both, a choice of its own; several, the default, is all buffered, then all "
     "waiting, then those that are short buffered and the longer ones waiting"},
    {"explore-mistakes", "WHAT", explore_mistakes,
     "whether a run of --explore is to fail in which LISLE_CHECK=2 names a mistake, or to ignore that"},
    {"explore-file", "FILE", [](option_use &use) { use.job.exploration.file = use.value(); },
     "where --explore keeps what a run that fails has chosen (without it: PROGRAM.choices)"},
    {"replay", "FILE", [](option_use &use) { use.job.exploration.replay = use.value(); },
     "run the program once, choosing what FILE of --explore or --record says; with --ranks process or thread "
     "only what receives from any source take"},
    {"record", "FILE", [](option_use &use) { use.job.exploration.record = use.value(); },
     "run the program as always, and write to FILE what receives from any source took, and probes found"},
    {"status", "PID",
     [](option_use &use) {
         use.job.what = job_request::action::status;
         use.job.asked_process = use.value();
     },
     "have the launcher of a running job print what its ranks wait for, on its own error output"},
    {"check-hosts", "", [](option_use &use) { use.job.control.check_hosts = true; },
     "try the ways between the hosts of --hosts: what is open, blocked and slow, and what to do"},
    {"keeper", "", [](option_use &use) { use.job.what = job_request::action::keep_host; },
     "what lislerun calls on another host", listing::hidden},
    {"forward-signals", "LIST", forward_signals,
     "pass these signals on to the ranks, as SIGWINCH,SIGALRM; USR1, USR2, TSTP and CONT always are"},
    {"runtime-options", "WORDS", set_runtime_options, ""},
    {"report-pid", "WHERE", [](option_use &use) { use.job.control.report_pid.emplace_back(use.value()); },
     "print the launcher's process id: on the output ('-'), the error output ('+') or into a file"},
    {"q|quiet", "", [](option_use &use) { use.job.messages.quiet = true; }, "print no notices, only errors"},
    {"v|verbose", "", [](option_use &use) { use.job.messages.verbose = true; },
     "say what is started, and which options have no effect"},
    {"gdb", "", [](option_use &use) { use.job.control.debugger = true; },
     "run the job in gdb, which stops where a rank begins `main`"},
    {"attach", "PID",
     [](option_use &use) {
         use.job.what = job_request::action::attach;
         use.job.asked_process = use.value();
     },
     "debug a running job: gdb attaches to the processes of this launcher's ranks, or to this one process"},
    {"core", "FILE",
     [](option_use &use) {
         use.job.what = job_request::action::core;
         use.job.core_file = use.value();
     },
     "open a core file in gdb, with the symbols of all ranks; the program may stand behind it"},
    {"examples", "DIR",
     [](option_use &use) {
         use.job.what = job_request::action::examples;
         use.job.examples_folder = use.value();
     },
     "copy the example programs into DIR, with a makefile"},
    {"V|version", "", [](option_use &use) { use.job.what = job_request::action::version; },
     "print the version"},
    {"h|help|?", "", [](option_use &use) { use.job.what = job_request::action::help; },
     "print the first page of help, or what there is on a topic, an option or the settings"},
};

} // namespace

std::span<const option> control_options() {
    return control_table;
}

} // namespace lisle::launch
