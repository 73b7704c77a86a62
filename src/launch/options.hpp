// SPDX-License-Identifier: Apache-2.0
// The command line of lislerun. One table (options_table.cpp) says which spellings of MPICH's, Open MPI's
// and Lisle's own dialect mean what; the parser and the help text are both driven by it. A name counts
// the same with one dash and with two, but for -env (which takes two words) and --env (which takes one).
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::launch {

enum class rank_kind { process, thread, fiber };
enum class binding { none, core, hardware_thread };
enum class inherited_environment { all, none };

/// An environment variable to set, or (without value) to hand down.
struct variable {
    std::string name;
    std::optional<std::string> value;
};

/// One program of a job: what stands between two ':' of the command line.
struct program_request {
    std::optional<int> ranks;             ///< -n
    std::optional<int> ranks_on_node;     ///< -npernode: as -n, where nothing else tells
    std::optional<int> processes;         ///< -P
    std::optional<int> ranks_per_process; ///< -T
    std::optional<rank_kind> kind;        ///< --ranks
    std::optional<int> workers;           ///< --workers
    std::vector<variable> environment;    ///< what the command line sets for it
    inherited_environment inherits = inherited_environment::all;
    std::string directory;              ///< --wdir, empty: the launcher's own
    std::vector<std::string> arguments; ///< the program's name and its arguments
};

/// What a command line asks for.
struct job_request {
    enum class action { run, help, version } what = action::run;
    std::vector<program_request> programs;
    std::vector<variable> environment; ///< for all programs
    inherited_environment inherits = inherited_environment::all;
    binding bind = binding::none;
    bool label = false;
    bool quiet = false;
    bool verbose = false;
    bool debug = false;         ///< says how to attach a debugger
    bool oversubscribe = false; ///< said that sharing cores is intended
    std::optional<std::chrono::milliseconds> timeout;
    bool input = true;                ///< rank 0 reads the launcher's input
    std::vector<std::string> notices; ///< sentences for everybody but -q
    std::vector<std::string> remarks; ///< sentences for -v
};

/// What an option does to a request.
enum class meaning {
    ranks,
    ranks_on_node, ///< the number that counts if no other is given
    kind,
    processes,
    ranks_per_process,
    workers,
    set_variable,           ///< VAR or VAR=value, for this program
    set_variable_by_dashes, ///< with two dashes the same, with one also VAR value
    set_for_all,            ///< VAR value or VAR=value, for all programs
    list_variables,         ///< A,B,C, for this program
    list_for_all,           ///< A,B,C, for all programs
    inherit_all,
    inherit_none,
    inherit_all_for_all,
    inherit_none_for_all,
    directory,
    bind,
    bind_to_core,
    label,
    timeout,
    oversubscribe,
    quiet,
    verbose,
    debug,
    private_libraries,
    shared_libraries,
    fabric,    ///< what carries messages; modelled tiles also say what ranks are
    tile_map,  ///< of modelled tiles, as the next two
    tile_mesh, ///< file of parameters
    tile_trace,
    help,
    version,
    hosts,          ///< accepted if it names this machine only
    standard_input, ///< accepted if it is rank 0 or nobody
    ignored,        ///< has no meaning on one node; said with -v
    without_effect, ///< would change what the user sees, so a notice is printed
    refused,        ///< the help text says why
};

/// A row of the table of options.
struct option {
    std::string_view names;  ///< without dashes, separated by '|', the preferred one first
    std::string_view values; ///< what follows, for the help text; the number of words is the number of values
    meaning what;
    std::string_view help; ///< empty: listed only among the accepted spellings
    [[nodiscard]] bool has_name(std::string_view name) const;
    [[nodiscard]] int value_count() const;
    [[nodiscard]] std::string_view preferred_name() const { return names.substr(0, names.find('|')); }
};

/// All options.
[[nodiscard]] std::span<const option> option_table();

/// The name as users write it: one dash for a letter, two for a word.
[[nodiscard]] std::string dashed(std::string_view name);

/// The kind of ranks with this name; `shown` is the option or variable that names it.
[[nodiscard]] rank_kind rank_kind_of(std::string_view shown, std::string_view text);

/// A span of time in seconds, written as a decimal number; `shown` as above.
[[nodiscard]] std::chrono::milliseconds seconds_of(std::string_view shown, std::string_view text);

/// Parses the arguments behind the launcher's name. Throws launch_error (exit_usage).
[[nodiscard]] job_request parse(std::span<const std::string_view> arguments);

/// The text of --help and of --version.
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string version_text();

} // namespace lisle::launch
