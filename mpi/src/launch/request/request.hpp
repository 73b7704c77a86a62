// SPDX-License-Identifier: Apache-2.0
// What a command line asks for, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace lisle::launch {

enum class rank_kind { process, thread, fiber };
enum class inherited_environment { all, none };

/// An environment variable to set, or (without value) to hand down.
struct variable {
    std::string name;
    std::optional<std::string> value;
};

/// The environment that a command line gives to a program, or to all of a job.
struct environment_request {
    std::vector<variable> variables; ///< what it sets
    inherited_environment inherits = inherited_environment::all;
};

/// So many ranks on each part of the machine (-map-by ppr:2:socket).
struct ranks_per_unit {
    int ranks;
    std::string unit; ///< "machine", or what cpu_set.hpp calls a unit
};

/// A host, and how many processes it has room for.
struct host_slots {
    std::string name;
    int slots;
    friend bool operator==(const host_slots &, const host_slots &) = default;
};

/// One program of a job: what stands between two ':' of the command line.
struct program_request {
    std::optional<int> ranks;               ///< -n
    std::optional<int> tiles;               ///< of a modelled machine: as -n, where that does not tell
    std::optional<ranks_per_unit> per_unit; ///< -npernode, ppr maps: as -n, where nothing else tells
    std::vector<host_slots> hosts;          ///< --hosts, --hostfile: their slots as well
    std::vector<int> soft;                  ///< -soft: the numbers of ranks that will do, ascending
    std::optional<int> processes;           ///< -P
    std::optional<int> ranks_per_process;   ///< -T
    std::optional<rank_kind> kind;          ///< --ranks
    std::optional<int> workers;             ///< --workers
    environment_request environment;
    std::string directory;              ///< --wdir, empty: the launcher's own
    std::string search_path;            ///< -path, empty: PATH
    std::vector<std::string> arguments; ///< the program's name and its arguments

    /// The slots of all hosts; nothing if none is named.
    [[nodiscard]] std::optional<int> slots() const {
        const auto add = [](int sum, const host_slots &host) { return sum + host.slots; };
        return hosts.empty() ? std::nullopt
                             : std::optional{std::accumulate(hosts.begin(), hosts.end(), 0, add)};
    }
};

/// What becomes of the ranks' output.
struct output_request {
    bool label = false;         ///< each line begins with its rank
    std::string label_pattern;  ///< how it begins instead, with %r and %h
    bool timestamps = false;    ///< each line begins with the time
    bool merge = false;         ///< error output goes where the output goes
    std::string directory;      ///< DIRECTORY/1/rank.N/stdout and stderr get a copy
    std::string file;           ///< FILE.N.out and FILE.N.err get a copy
    std::string output_pattern; ///< the output goes to a file of this name, with %r and %h
    std::string errors_pattern; ///< the same for the error output
    bool copy = true;           ///< with `directory` or `file`: the launcher's own output gets it too

    /// Whether lines have to be known: whole, and with the rank that they are from.
    [[nodiscard]] bool changes_lines() const { return label || !label_pattern.empty() || timestamps; }
    [[nodiscard]] bool has_files() const {
        return !directory.empty() || !file.empty() || !output_pattern.empty() || !errors_pattern.empty();
    }
    /// Whether the output does not simply go where the launcher's goes.
    [[nodiscard]] bool any() const { return changes_lines() || has_files() || merge; }
};

/// The ranks that read the launcher's standard input.
struct input_request {
    std::optional<int> rank = 0; ///< this one; nothing: no rank, unless
    bool all = false;            ///< each rank gets a copy
};

/// What is described before the job starts, or when it ends.
struct display_request {
    bool map = false;
    bool rank_map = false; ///< in one line
    bool allocation = false;
    bool bindings = false;
    bool exit_codes = false;
};

/// What is told of a run when it is over.
struct report_request {
    std::string page;        ///< a file for the report; empty: none
    std::string trace;       ///< a file for all calls as trace events; empty: none
    bool lines = false;      ///< ten lines on the error output
    std::string folder;      ///< where ranks record; empty: they do not
    bool is_spawned = false; ///< as that of the job which has spawned this one
    [[nodiscard]] bool wanted() const { return !page.empty() || !trace.empty() || lines; }
};

/// The calls of a job are recorded, or those of a record are made again.
struct trace_request {
    std::string record; ///< a file for the trace of this job; empty: none
    std::string folder; ///< where ranks record; empty: they do not
    std::string replay; ///< a trace that takes the program's place; empty: none
};

/// How sends of the standard mode are done in the runs of --explore.
enum class explored_sends : std::uint8_t {
    several,  ///< all buffered; all waiting; buffered up to each length
    buffered, ///< all
    waiting,  ///< all
    each,     ///< each is a choice of its own
};

/// A program is run in all the ways that MPI allows, or once more in one of them.
struct exploration_request {
    bool all = false;                    ///< --explore
    std::optional<std::uint64_t> random; ///< so many runs by chance instead
    std::chrono::milliseconds limit{std::chrono::seconds{60}};
    int runs = std::numeric_limits<int>::max(); ///< at most
    explored_sends sends = explored_sends::several;
    bool mistakes_fail = true; ///< a run fails in which LISLE_CHECK=2 names a mistake
    std::string file;          ///< for the choices of a run that fails; empty: the usual
    std::string replay;        ///< a file of choices to follow; empty: there is none
    std::string record;        ///< a file for the choices of this run; empty: none
    std::string folder; ///< where a run finds its orders and leaves its account; empty: nothing is left open
    bool in_any_kind = false; ///< ranks need not be fibers of one thread: only receives are followed
    [[nodiscard]] bool wanted() const { return all || !replay.empty() || !record.empty(); }
};

/// On which processors ranks run.
struct placement_request {
    std::string processors;     ///< --cpu-set: a list as 0-3,8; empty: all that the launcher may use
    std::string binding;        ///< --bind-to, as places() in cpu_set.hpp takes it; empty: none
    bool oversubscribe = false; ///< said that sharing cores is intended
};

/// How the job is run.
struct control_request {
    bool launch = true;       ///< false: describe only
    bool check_hosts = false; ///< try the ways between the hosts instead
    bool recovery = false;    ///< a process that fails does not end the job
    std::optional<std::chrono::milliseconds> timeout;
    std::vector<int> forwarded_signals;
    bool debugger = false;               ///< the job runs in gdb
    std::vector<std::string> report_pid; ///< where the launcher's process id goes: -, + or a file
};

/// How ranks on other hosts are started.
struct remote_request {
    std::string through; ///< the launcher that starts them; empty: Slurm's within an allocation, else this
    std::string launch_agent; ///< what is called instead of ssh; empty: ssh
    std::string prefix;       ///< where Lisle is installed there; empty: where it is here
};

/// What the launcher says about its work.
struct message_request {
    bool quiet = false;
    bool verbose = false;
    std::vector<std::string> notices; ///< sentences, unless -q
    std::vector<std::string> remarks; ///< sentences for -v
};

/// What a command line asks for.
struct job_request {
    enum class action {
        run,
        help,
        version,
        status,
        attach,
        core,
        abi_check,
        examples,
        keep_host
    } what = action::run;
    std::string help_topic;      ///< empty: the options
    std::string asked_process;   ///< of action::status and attach
    std::string core_file;       ///< of action::core
    std::string examples_folder; ///< of action::examples
    std::string core_program;    ///< its program; empty: the file tells
    std::string checked;         ///< the program of action::abi_check
    std::vector<program_request> programs;
    std::string abi; ///< --abi: for which MPI programs were built; empty: what they are linked with tells
    bool numbered_names = false;     ///< each rank finds its number behind the program's name
    environment_request environment; ///< for all programs
    placement_request placement;
    output_request output;
    input_request input;
    display_request display;
    report_request report;
    trace_request trace;
    std::string calibration; ///< a file that is to say what messages cost, instead of a program; empty: none
    exploration_request exploration;
    control_request control;
    remote_request remote;
    message_request messages;
};

} // namespace lisle::launch
