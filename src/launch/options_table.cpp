// SPDX-License-Identifier: Apache-2.0
// The one place that knows how options are spelled.
#include <algorithm>

#include "launch/options.hpp"

namespace lisle::launch {

namespace {

constexpr std::string_view one_machine = "Lisle starts jobs on this machine only";
constexpr std::string_view no_such_files =
    "Lisle keeps no such files: write the programs on the command line, separated by ':'";

constexpr option table[] = {
    // How many ranks, and what they are.
    {"n|np|c", "N", meaning::ranks, "start N ranks (without it: one)"},
    {"npernode|N", "N", meaning::ranks_on_node, ""},
    {"ranks", "KIND", meaning::kind,
     "what a rank is: 'process' (the default), 'thread', or 'fiber' (many on one thread: thousands of "
     "ranks); "
     "LISLE_RANKS=KIND sets the default"},
    {"P|processes", "P", meaning::processes, "spread the ranks over P processes, as threads (or fibers)"},
    {"T|threads", "T", meaning::ranks_per_process, "run T ranks in each process, as threads (or fibers)"},
    {"workers", "W", meaning::workers,
     "run the fiber ranks of each process on W threads (without it: as many as there are cores)"},
    {"private-libraries", "LIST", meaning::private_libraries,
     "libraries (names or patterns, with ':' between) of which each thread or fiber rank gets a copy, "
     "besides the "
     "program's own"},
    {"shared-libraries", "LIST", meaning::shared_libraries,
     "libraries of the program's own that the ranks of a process share"},
    {"fabric", "local|tile:WxH", meaning::fabric,
     "what carries messages: the node's memory, or a modelled processor of W x H tiles, with the program in "
     "virtual time (ranks are fibers then, one for each tile unless -n says less)"},
    {"map", "row|compact|FILE", meaning::tile_map,
     "on which tiles the ranks run: in rows (the default), on a square, or as a file lists"},
    {"mesh", "FILE", meaning::tile_mesh, "parameters of the modelled processor (lisle-tiles parameters prints them)"},
    {"trace", "DIR", meaning::tile_trace, "draw how the tiles and their links were used, in DIR"},
    // What they see.
    {"x", "VAR[=value]", meaning::set_variable, "set VAR for this program, or hand it down as it is"},
    {"env", "VAR[=value]", meaning::set_variable_by_dashes, "the same; also as -env VAR value"},
    {"genv", "VAR value", meaning::set_for_all, "set VAR for all programs of the job; also as VAR=value"},
    {"genvlist", "A,B,...", meaning::list_for_all, "hand down these variables only"},
    {"envlist", "A,B,...", meaning::list_variables, "the same, for this program only"},
    {"genvnone", "", meaning::inherit_none_for_all, "hand down no variables"},
    {"genvall", "", meaning::inherit_all_for_all, "hand down all variables (the default)"},
    {"envnone", "", meaning::inherit_none, ""},
    {"envall", "", meaning::inherit_all, ""},
    {"wdir|wd", "DIR", meaning::directory, "start the program in directory DIR"},
    {"stdin", "0|none", meaning::standard_input,
     "who reads the launcher's input: rank 0 (the default) or nobody"},
    // Where they run.
    {"bind-to", "core|none", meaning::bind,
     "give each rank a core of its own, or leave the placement to the system (the default)"},
    {"bind-to-core", "", meaning::bind_to_core, ""},
    {"oversubscribe", "", meaning::oversubscribe, "more ranks than cores are intended: no notice about it"},
    // What the user sees.
    {"l|label|tag-output|prepend-rank", "", meaning::label,
     "begin each line of output with its rank: '[2] ...'"},
    {"timeout", "SECONDS", meaning::timeout,
     "stop the job (exit code 124) if it has not ended by then; also MPIEXEC_TIMEOUT"},
    {"q|quiet", "", meaning::quiet, "print no notices, only errors"},
    {"v|verbose", "", meaning::verbose, "say what is started, and which options have no effect"},
    {"gdb", "", meaning::debug,
     "say how to attach gdb to each process, and where the ranks' images lie in it"},
    {"V|version", "", meaning::version, "print the version"},
    {"h|help|?", "", meaning::help, "print this text"},

    // Which machines: this one.
    {"host|hosts|H", "NAMES", meaning::hosts, ""},
    {"hostfile|machinefile|machine|f|default-hostfile|rankfile|rf", "FILE", meaning::refused, one_machine},
    {"configfile|app|am|tune", "FILE", meaning::refused, no_such_files},
    {"preload-binary|preload-files", "", meaning::refused, one_machine},
    {"debug|debugger|tv|xterm|gdba", "", meaning::refused,
     "Lisle starts no debugger: put it in front of the program (lislerun -n 2 gdb ...), or attach to the "
     "processes that --gdb names"},

    // Accepted since they are common and change nothing on one machine.
    {"allow-run-as-root|use-hwthread-cpus|nooversubscribe|nolocal|noprefix|bycore|bynode|byslot|bysocket|"
     "pernode|disable-hostname-propagation|disable-auto-cleanup|enable-auto-cleanup|rr|info|bind-to-none|"
     "continuous|enable-recovery|disable-recovery|show-progress|get-stack-traces|report-state-on-timeout",
     "", meaning::ignored, ""},
    {"map-by|rank-by|ppn|perhost|npersocket|cpus-per-proc|cpus-per-rank|cpu-set|cpu-list|prefix|"
     "path|personality|bootstrap|launcher|rmk|iface|bootstrap-exec|launcher-exec|localhost|usize|topolib|"
     "demux|order-nodes|max-restarts|gpus-per-proc|report-pid|report-uri|pmi-port|membind",
     "VALUE", meaning::ignored, ""},
    {"mca|gmca|prtemca|pmixmca|gpmixmca|omca", "KEY VALUE", meaning::ignored, ""},
    // Accepted, but what they promise does not happen.
    {"report-bindings|display-map|display-allocation|display-devel-map|display-topo|timestamp-output|xml|"
     "merge-stderr-to-stdout|print-all-exitcodes|print-rank-map|parseable|parsable|do-not-launch",
     "", meaning::without_effect, ""},
    {"output-filename|outfile-pattern|errfile-pattern|outfile|errfile|output|prepend-pattern", "VALUE",
     meaning::without_effect, ""},
};

} // namespace

bool option::has_name(std::string_view name) const {
    for (auto rest = names; !rest.empty();) {
        const auto bar = std::min(rest.find('|'), rest.size());
        if (rest.substr(0, bar) == name) {
            return true;
        }
        rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return false;
}

int option::value_count() const {
    return values.empty() ? 0 : 1 + static_cast<int>(std::count(values.begin(), values.end(), ' '));
}

std::span<const option> option_table() {
    return table;
}

std::string dashed(std::string_view name) {
    return (name.size() == 1 ? "-" : "--") + std::string{name};
}

} // namespace lisle::launch
