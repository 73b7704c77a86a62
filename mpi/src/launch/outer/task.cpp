// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/task.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/pointers.hpp"
#include "base/settings.hpp"
#include "launch/common/cpu_set.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"
#include "launch/outer/hosts_job.hpp"
#include "launch/plan/plan.hpp"
#include "launch/plan/process_environment.hpp"
#include "world/pmi/foreign_launcher.hpp"
#include "world/process_record.hpp"

namespace lisle::launch {

namespace {

bool asks_for_a_job(const job_request &request) {
    const program_request &program = request.programs.front();
    return request.programs.size() > 1 || program.ranks || program.tiles || program.processes ||
           !program.hosts.empty() || program.per_unit || !program.soft.empty();
}

[[noreturn]] void leave_to_launcher(std::string_view what) {
    give_up(
        exit_usage, what,
        " is for the launcher that has started this lislerun to decide: give it the option, or say with -n "
        "how many ranks a job of its own has");
}

/// Processors that the ranks of this process may count on: those that the launcher has bound it to, or else
/// its part of the machine.
int processors_here() {
    const int allowed = std::max(1, cpu_set::allowed().count());
    if (allowed < sysconf(_SC_NPROCESSORS_ONLN)) {
        return allowed;
    }
    for (const char *const variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
        if (const auto tasks = environment_number(variable)) {
            return std::max(1, allowed / std::max(1, *tasks));
        }
    }
    return 1;
}

} // namespace

bool is_task_of_launcher(const job_request &request) {
    if (asks_for_a_job(request) || own_record().table) {
        return false;
    }
    if (launcher_speaks_pmix() || launcher_socket()) {
        return true;
    }
    if (const auto why = foreign_launcher()) {
        give_up(exit_usage, *why);
    }
    return false;
}

void become_task(job_request request, const char *default_kind) {
    if (const auto what = done_by_supervisor_alone(request); !what.empty()) {
        leave_to_launcher(what);
    }
    program_request &program = request.programs.front();
    if (const auto wanted = value_of(setting::threads_per_process);
        !program.ranks_per_process && wanted != 0) {
        program.ranks_per_process = static_cast<int>(wanted);
    }
    auto job = plan(request, default_kind);
    process_plan &here = job.processes.front();
    if (request.output.label && !here.hosted) {
        leave_to_launcher("what becomes of the output of processes");
    }
    if (here.workers != 0 && !program.workers) {
        here.workers = std::min(here.ranks, processors_here());
    }
    std::vector<std::string> variables = environment_of_task(here, request, environ);
    if (!program.directory.empty() && chdir(program.directory.c_str()) != 0) {
        give_up(exit_not_found, "cannot enter the directory ", program.directory, ": ", std::strerror(errno));
    }
    // Takes a script without a first line that names its interpreter for a shell's, as everywhere.
    execvpe(here.path.c_str(), pointers_to(here.arguments).data(), pointers_to(variables).data());
    give_up(exit_not_executable, "cannot start '", here.path, "': ", std::strerror(errno));
}

} // namespace lisle::launch
