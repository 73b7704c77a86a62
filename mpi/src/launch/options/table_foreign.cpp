// SPDX-License-Identifier: Apache-2.0
// Options that other launchers have and that Lisle does not need (accepted; -v says why they change nothing),
// whose promise it does not keep (accepted with a notice), or that would mean another job (refused with the
// way out).
#include "launch/common/launch_error.hpp"
#include "launch/options/option.hpp"

namespace lisle::launch {

namespace {

void change_nothing(option_use &use) {
    use.skip_values();
    use.job.messages.remarks.push_back(sentence(use.shown, " changes nothing: ", use.row.help));
}

void break_promise(option_use &use) {
    use.skip_values();
    use.job.messages.notices.push_back(sentence(use.shown, " has no effect: ", use.row.help));
}

[[noreturn]] void refuse(option_use &use) {
    give_up(exit_usage, use.shown, " is not supported: ", use.row.help);
}

constexpr option needless(std::string_view names, std::string_view values, std::string_view why) {
    return {names, values, change_nothing, why, listing::accepted};
}
constexpr option missing(std::string_view names, std::string_view values, std::string_view why) {
    return {names, values, break_promise, why, listing::accepted};
}
constexpr option refused(std::string_view names, std::string_view values, std::string_view way_out) {
    return {names, values, refuse, way_out, listing::hidden};
}

constexpr option foreign_table[] = {
    needless("allow-run-as-root", "", "everybody may start jobs"),
    needless("use-hwthread-cpus|nooversubscribe|no-oversubscribe", "",
             "how many ranks share a core is for the user to say"),
    needless("nolocal|noprefix|disable-hostname-propagation|enable-hostname-propagation|do-not-resolve|"
             "preload-binary|s|bynode|byslot|bycore|bysocket|use-regexp|fwd-mpirun-port",
             "", "there is one machine"),
    needless("iface|localhost|order-nodes|preload-files|cartofile|cf|tmpdir", "VALUE",
             "there is one machine, and Lisle keeps no files"),
    needless("d|debug-devel|debug-daemons|debug-daemons-file|leave-session-attached|novm|show-progress|"
             "enable-instant-on-support|prefork|pmi-port|profile",
             "", "Lisle has no daemons"),
    needless("launcher|bootstrap|rmk|demux|personality|topolib|max-vm-size", "VALUE", "Lisle has no daemons"),
    needless("disable-auto-cleanup|enable-auto-cleanup|disable-recovery|report-child-jobs-separately|rr", "",
             "a job ends as `How a job ends` in mpi/docs/launching.md says"),
    needless("usize", "VALUE", "jobs do not grow"),
    needless("gpus-per-proc|gpu-subdevs-per-proc", "N", "Lisle assigns no GPUs"),
    needless("mca|gmca|prtemca|pmixmca|gpmixmca|omca|gomca", "KEY VALUE",
             "parameters of Open MPI mean nothing here; those of Lisle are environment variables (-x)"),
    needless("am", "FILE", "parameters of Open MPI mean nothing here"),

    missing("skip-launch-node", "", "this is the only machine that Lisle starts ranks on"),
    missing("max-restarts", "N", "ranks that fail are not started again"),
    missing("pset", "NAME", "Lisle has the process sets of the standard only, mpi://WORLD and mpi://SELF"),
    missing("xml|parseable|parsable", "", "the launcher writes plain text"),
    missing("xml-file", "FILE", "the launcher writes plain text"),
    missing("get-stack-traces|report-state-on-timeout|output-proctable", "",
            "--attach PID opens gdb, and `lisle apply all backtrace` prints the stacks"),
    missing("cpus-per-proc|cpus-per-rank", "N", "a rank is bound to one unit (--bind-to)"),
    missing("membind", "VALUE", "memory lies where it is first touched; numactl can stand before lislerun"),
    missing("report-uri|report-events|ompi-server|nameserver|hnp", "VALUE",
            "Lisle has no server that tools or other jobs could reach"),
    missing("info", "", "lislerun --version says what there is to say"),
    missing("enable-x|disable-x", "", "the display is that of the launcher"),

    refused("rankfile|rf", "FILE", "--bind-to user:0,2,... names a processor for each rank in turn"),
    refused("tune", "FILE", "give the variables that it sets with -x, on the command line or in -file FILE"),
    refused("debug|debugger|tv|xterm|gdba|stop-on-exec", "",
            "--gdb runs the job in gdb; another debugger may stand in front of the program (lislerun -n 2 "
            "xterm -e lldb ...)"),
    refused("dvm|dvm-uri", "", "Lisle keeps no daemons between jobs; leave the option out"),
    refused("singleton-port|pmi-args", "VALUE",
            "Lisle starts no job around a program that runs already; start it with lislerun"),
    refused("set-cwd-to-session-dir", "", "there is no session directory; --wdir DIR chooses one"),
};

} // namespace

std::span<const option> foreign_options() {
    return foreign_table;
}

} // namespace lisle::launch
