// SPDX-License-Identifier: Apache-2.0
// lislerun, also installed as mpirun and mpiexec: starts an MPI job, on this machine and on others.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "dynamic/start.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/exploration/explore.hpp"
#include "launch/exploration/replay.hpp"
#include "launch/hosts/allocation.hpp"
#include "launch/hosts/hosts_check.hpp"
#include "launch/hosts/hosts_launch.hpp"
#include "launch/hosts/keeper.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/values.hpp"
#include "launch/outer/debugger.hpp"
#include "launch/outer/examples.hpp"
#include "launch/outer/hosts_job.hpp"
#include "launch/outer/task.hpp"
#include "launch/plan/abi_check.hpp"
#include "launch/plan/describe.hpp"
#include "launch/plan/resources.hpp"
#include "launch/supervisor/calibration.hpp"
#include "launch/supervisor/front.hpp"
#include "launch/supervisor/run_report.hpp"
#include "launch/supervisor/status_request.hpp"
#include "launch/supervisor/trace_recording.hpp"
#include "world/job_table.hpp"
#include "world/process_record.hpp"

namespace lisle::launch {

namespace {

// Cron and daemons start programs without standard descriptors. A pipe or file of the launcher would get such
// a number and be taken for the job's input or output, so closed ones are opened first, on /dev/null.
void open_standard_descriptors() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) != number) {
            give_up(1, "cannot open /dev/null for the closed descriptor ", number, ": ",
                    std::strerror(errno));
        }
    }
}

// A rank that spawns a job (MPI_Comm_spawn) starts this launcher, which must not be a child of the program.
// So it forks and the parent ends: the supervisor of the rank's job, if there is one, becomes its parent. The
// end of a descriptor tells the program that the job's launcher has ended: this one, or the one that takes
// its place.
enum class launcher_of_job { this_one, other };
void leave_parent(launcher_of_job which) {
    const auto alive = environment_number(dynamic::launcher_alive_variable);
    if (!alive) {
        unsetenv(dynamic::parent_port_variable); // of a job around this one, not of this one
        return;
    }
    if (which == launcher_of_job::this_one) {
        fcntl(*alive, F_SETFD, FD_CLOEXEC); // whatever its ranks do
        unsetenv(dynamic::launcher_alive_variable);
    }
    if (fork() > 0) {
        _exit(0);
    }
}

// A rank's script may start a job of its own, which must not inherit the table of the job around it.
void close_surrounding_job() {
    if (const auto table = own_record().table; table && job_table::is_one(*table)) {
        fcntl(*table, F_SETFD, FD_CLOEXEC);
    }
}

void notice_about_cores(const job_request &request, const job_plan &plan) {
    const int cores = cpu_set::allowed().count();
    const int ranks = plan.shape().ranks();
    // Fibers are meant to be many; what competes for the cores is their workers.
    int threads = 0;
    for (const auto &process : plan.processes) {
        threads += process.workers != 0 ? process.workers : process.ranks;
    }
    // Programs that compare error outputs shall see the program's own: this sentence is for people.
    const bool for_people = request.messages.verbose || isatty(STDERR_FILENO) != 0;
    if (for_people && cores > 0 && threads > cores && !request.placement.oversubscribe) {
        say(sentence(ranks, " ranks share ", cores, cores == 1 ? " core" : " cores",
                     " (-q or --oversubscribe hides this line)"));
    }
}

/// Ranks of one process are lost together.
void notice_about_recovery(const job_request &request, const job_plan &plan) {
    const int ranks = plan.ranks();
    if (request.control.recovery && plan.processes.size() == 1 && ranks > 1) {
        say(sentence("--with-ft: all ", ranks,
                     " ranks share one process and are lost with it; -P spreads them over several"));
    }
}

/// --cpu-set: all that is started inherits it, and what counts cores counts these.
void stay_on(const std::string &processors) {
    if (processors.empty()) {
        return;
    }
    const auto allowed = cpu_set::allowed();
    const auto wanted = cpu_set::parse(processors);
    if ((wanted & allowed).count() != wanted.count()) {
        give_up(exit_usage, "--cpu-set ", processors, ": this launcher may use processors ", allowed.list());
    }
    if (!wanted.apply()) {
        give_up(1, "cannot stay on processors ", processors, ": ", std::strerror(errno));
    }
}

/// --bind-to with a list of its own, or that of --cpu-set.
void check_binding(job_request &request) {
    if (request.placement.binding == "cpu-list") {
        request.placement.binding =
            request.placement.processors.empty() ? cpu_set::allowed().list() : request.placement.processors;
    }
    const auto wanted = cpu_set::parse(request.placement.binding);
    const auto allowed = cpu_set::allowed();
    if ((wanted & allowed).count() != wanted.count()) {
        give_up(exit_usage, "--bind-to user:", request.placement.binding,
                ": this launcher may use processors ", allowed.list());
    }
}

void report_pid(const std::string &where) {
    const auto line = std::to_string(getpid()) + "\n";
    if (where == "-" || where == "+") {
        std::fputs(line.c_str(), where == "-" ? stdout : stderr);
        return;
    }
    if (!(std::ofstream{where} << line << std::flush)) {
        give_up(1, "--report-pid ", where, ": the file cannot be written: ", std::strerror(errno));
    }
}

void say_what_is_asked(const job_request &request, const job_plan &plan) {
    if (!request.messages.quiet) {
        for (const auto &notice : request.messages.notices) {
            say(notice);
        }
    }
    if (request.messages.verbose) {
        for (const auto &remark : request.messages.remarks) {
            say(remark);
        }
    }
    std::fputs(description_of(request, plan).c_str(), stdout);
    std::fflush(stdout);
}

void say_what_matters(const job_request &request, const job_plan &plan) {
    if (!request.messages.quiet) {
        notice_about_cores(request, plan);
        notice_about_recovery(request, plan);
    }
    say_what_is_asked(request, plan);
    if (request.display.bindings) {
        for (const auto &line : bindings_of(request, plan)) {
            say(line);
        }
    }
}

void refuse_what_needs_one_machine(const job_request &request) {
    if (request.exploration.wanted()) {
        give_up(exit_usage,
                "--explore, --replay and --record are for jobs that lislerun starts on this machine alone: "
                "leave out --hosts and other launchers");
    }
    if (!request.trace.record.empty()) {
        give_up(exit_usage,
                "--record-trace records jobs that lislerun starts on this machine alone: leave out "
                "--hosts and other launchers");
    }
}

void refuse_report(const job_request &request) {
    if (request.report.wanted()) {
        give_up(exit_usage, "--report and --stats record jobs that lislerun starts itself: leave out other "
                            "launchers");
    }
}

/// A job on other hosts: by lislerun itself, or through another launcher.
int start_elsewhere(job_request request, const char *default_kind) {
    refuse_what_needs_one_machine(request);
    if (request.control.debugger) {
        give_up(exit_usage,
                "--gdb debugs ranks of this machine alone: leave out --hosts, or attach on a host to "
                "a running job there (lislerun --attach PID)");
    }
    if (const auto launcher = outer_launcher_of(request)) {
        refuse_report(request);
        leave_parent(launcher_of_job::other);
        start_on_hosts(std::move(request), *launcher, default_kind);
    }
    auto planned = plan_for_hosts(request, default_kind);
    for (const auto &where : request.control.report_pid) {
        report_pid(where);
    }
    say_what_is_asked(request, planned.job.plan);
    if (!request.control.launch) {
        return 0;
    }
    leave_parent(launcher_of_job::this_one);
    close_surrounding_job();
    const run_report report{request};
    const job_plan job = planned.job.plan;
    const int code = run_on_hosts(request, std::move(planned));
    report.make(job);
    return code;
}

int run(std::span<const std::string_view> arguments) {
    auto request = parse(arguments);
    if (request.what == job_request::action::keep_host) {
        return keep_host();
    }
    if (request.what == job_request::action::status) {
        ask_for_status(request.asked_process);
        return 0;
    }
    if (request.what == job_request::action::attach) {
        attach_debugger(request.asked_process);
    }
    if (request.what == job_request::action::core) {
        open_core_file(request.core_file, request.core_program);
    }
    if (request.what == job_request::action::abi_check) {
        return check_abi(request.checked, request.abi);
    }
    if (request.what == job_request::action::examples) {
        copy_examples(request.examples_folder);
        return 0;
    }
    if (request.what != job_request::action::run) {
        const auto text =
            request.what == job_request::action::help ? help_text(request.help_topic) : version_text();
        return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
    }
    check_traces(request);
    check_calibration(request);
    if (const char *const limit = std::getenv("MPIEXEC_TIMEOUT");
        limit != nullptr && !request.control.timeout) {
        request.control.timeout = seconds_of("MPIEXEC_TIMEOUT", limit);
    }
    stay_on(request.placement.processors);
    check_binding(request);
    const char *const default_kind = text_of(setting::ranks).c_str();
    if (is_task_of_launcher(request)) {
        refuse_what_needs_one_machine(request);
        refuse_report(request);
        become_task(std::move(request), default_kind);
    }
    // What a rank spawns stays on its machine unless it names hosts.
    if (!environment_number(dynamic::launcher_alive_variable)) {
        use_allocation(request);
    }
    if (request.control.check_hosts) {
        return check_hosts(request);
    }
    if (names_other_hosts(request)) {
        return start_elsewhere(std::move(request), default_kind);
    }
    if (request.exploration.wanted()) {
        prepare_choices(request);
    }
    auto job = plan(request, default_kind);
    if (request.exploration.wanted() && !request.exploration.in_any_kind) {
        job = in_one_process(request, job, request.exploration.all ? "--explore" : "--replay");
    }
    if (request.control.debugger && !is_in_debugger()) {
        start_in_debugger(arguments, request, job);
    }
    for (const auto &where : request.control.report_pid) {
        report_pid(where);
    }
    say_what_matters(request, job);
    check_resources(job.ranks(), need_of(request, job), limits_here());
    if (!request.control.launch) {
        return 0;
    }
    leave_parent(launcher_of_job::this_one);
    close_surrounding_job();
    if (request.exploration.all) {
        return explore(request, job);
    }
    const run_report report{request};
    const trace_recording recording{request};
    const single_choices chosen{request};
    const int code = run_job(request, job);
    report.make(job);
    recording.make();
    return chosen.end(code);
}

} // namespace

} // namespace lisle::launch

int main(int count, char **words) {
    using namespace lisle::launch;
    const std::vector<std::string_view> arguments(words + (count > 0 ? 1 : 0), words + count);
    try {
        open_standard_descriptors();
        lisle::leave_reports_to_ranks();
        return run(arguments);
    } catch (const launch_error &error) {
        say(error.what());
        return error.exit_code();
    } catch (const std::exception &error) {
        say(error.what());
        return 1;
    }
}
