// SPDX-License-Identifier: Apache-2.0
// Options about which programs run, as how many ranks, and what a rank is.
#include "base/settings.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/common/other_mpi.hpp"
#include "launch/options/command_file.hpp"
#include "launch/options/command_line.hpp"
#include "launch/options/hosts.hpp"
#include "launch/options/option.hpp"
#include "launch/options/values.hpp"

#include <algorithm>
#include <sys/utsname.h>

namespace lisle::launch {

namespace {

void add(option_use &use, std::vector<host_slots> hosts) {
    use.program.hosts.insert(use.program.hosts.end(), hosts.begin(), hosts.end());
}

void check_architecture(option_use &use) {
    utsname about{};
    uname(&about);
    const auto wanted = use.value();
    if (wanted != about.machine) {
        give_up(exit_usage, use.shown, " ", wanted, ": this machine is ", about.machine,
                ", and Lisle starts jobs on this machine only");
    }
}

/// Each line of the file is what could stand between two ':' of the command line.
void insert_programs(option_use &use) {
    std::vector<std::string> words;
    const std::string path{use.value()};
    for (auto &line : read_command_file(use.shown, path)) {
        if (!words.empty()) {
            words.emplace_back(":");
        }
        words.insert(words.end(), line.begin(), line.end());
    }
    if (words.empty()) {
        give_up(exit_usage, use.shown, " ", path, ": the file names no program");
    }
    use.insert(std::move(words));
}

void insert_options(option_use &use) {
    std::vector<std::string> words;
    for (auto &line : read_command_file(use.shown, std::string{use.value()})) {
        words.insert(words.end(), line.begin(), line.end());
    }
    use.insert(std::move(words));
}

void choose_abi(option_use &use) {
    const auto name = use.value();
    if (name != "auto" && name != "standard" && std::ranges::find(faces, name) == faces.end()) {
        give_up(exit_usage, use.shown, " is auto, standard, openmpi or mpich, not '", name, "'");
    }
    use.job.abi = name == "auto" ? std::string_view{} : name;
}

constexpr option ranks_table[] = {
    {"n|np|c", "N", [](option_use &use) { use.program.ranks = use.number(); },
     "start N ranks (without it: as many as hosts or maps say, else one)"},
    {"soft", "SET", [](option_use &use) { use.program.soft = soft_numbers(use.shown, use.value()); },
     "start the largest number of ranks in SET that is not above N; SET is as 4, 2:8 or 2:8:2, separated by "
     "commas"},
    {"ranks", "KIND", [](option_use &use) { use.program.kind = rank_kind_of(use.shown, use.value()); },
     "what a rank is: 'process' (the default), 'thread', or 'fiber' (many on one thread: thousands of "
     "ranks); LISLE_RANKS=KIND sets the default"},
    {"P|processes", "P", [](option_use &use) { use.program.processes = use.number(); },
     "spread the ranks over P processes, as threads (or fibers)"},
    {"T|threads", "T", [](option_use &use) { use.program.ranks_per_process = use.number(); },
     "run T ranks in each process, as threads (or fibers)"},
    {"workers", "W", [](option_use &use) { use.program.workers = use.number(); },
     "run the fiber ranks of each process on W threads (without it: as many as there are cores)"},
    {"private-libraries", "LIST",
     [](option_use &use) {
         use.program.environment.variables.push_back(
             {variable_of(setting::private_libraries), std::string(use.value())});
     },
     "libraries (names or patterns, with ':' between) of which each thread or fiber rank gets a copy, "
     "besides the program's own"},
    {"shared-libraries", "LIST",
     [](option_use &use) {
         use.program.environment.variables.push_back(
             {variable_of(setting::shared_libraries), std::string(use.value())});
     },
     "libraries of the program's own that the ranks of a process share"},
    {"shared-malloc", "",
     [](option_use &use) {
         use.program.environment.variables.push_back({variable_of(setting::shared_malloc), "on"});
     },
     "let malloc give process ranks memory that the node's other ranks reach by address, so that long "
     "messages "
     "are copied once; LISLE_SHARED_MALLOC=on is the same"},
    {"abi", "MPI", choose_abi,
     "for which MPI the programs were built: 'auto' (the default: their libraries tell), 'standard' (Lisle, "
     "or "
     "another with the standard's binary interface), 'openmpi' or 'mpich'"},
    {"abi-check", "PROGRAM",
     [](option_use &use) {
         use.job.what = job_request::action::abi_check;
         use.job.checked = use.value();
     },
     "say which libraries of MPI a program and its libraries need, where they are found, and which names are "
     "not there; exit code 1 if any"},
    {"configfile|app", "FILE", insert_programs,
     "start the programs that FILE describes: each line is what could stand between two ':'"},
    {"file", "FILE", insert_options, "take more options for this program from FILE"},
    {"host|hosts|H", "NAMES", [](option_use &use) { add(use, hosts_in_list(use.shown, use.value())); },
     "run on these hosts; without -n each counts one rank, NAME:2 two. Other machines than this one are "
     "reached by ssh (--launch-agent, --through)"},
    {"hostfile|machinefile|machine|f|default-hostfile", "FILE",
     [](option_use &use) {
         const std::string path{use.value()};
         add(use, hosts_in_file(use.shown, path));
     },
     "the same from a file with NAME, NAME:2 or NAME slots=2 in each line"},
    {"through", "LAUNCHER", [](option_use &use) { use.job.remote.through = use.value(); },
     "have ssh (lislerun itself, by --launch-agent), srun, prterun, orterun or mpiexec.hydra start the ranks "
     "on "
     "other hosts; without it srun within an allocation of Slurm, else ssh"},
    {"launch-agent|launcher-exec|bootstrap-exec", "COMMAND",
     [](option_use &use) { use.job.remote.launch_agent = use.value(); },
     "what is called with a host's name and a command to reach it, instead of ssh; also LISLE_LAUNCH_AGENT"},
    {"prefix", "DIRECTORY", [](option_use &use) { use.job.remote.prefix = use.value(); },
     "where Lisle is installed on other hosts, if not where it is here"},
    {"arch", "ARCH", check_architecture, "run on a machine of this architecture: this one must be it"},
};

} // namespace

std::span<const option> rank_options() {
    return ranks_table;
}

} // namespace lisle::launch
