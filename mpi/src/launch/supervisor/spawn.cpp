// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/spawn.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/pointers.hpp"
#include "launch/common/launch_error.hpp"

namespace lisle::launch {

namespace {

enum class step { none, descriptors, directory, placement, program };

struct failure {
    step at = step::none;
    int reason = 0;
};

// Everything that the child reads, prepared before vfork: the child shares the parent's memory and must
// neither allocate nor return.
struct prepared {
    const process_start &start;
    const inherited_state &original;
    char *const *arguments;
    char *const *environment;
    char *const *shell_arguments;
    pid_t parent;
};

// The descriptors to install are close-on-exec and above 2, so they cannot overwrite each other.
bool install(int from, int as) {
    return from < 0 || dup2(from, as) >= 0;
}

[[noreturn]] void become_program(const prepared &child, volatile failure &failed) {
    const auto &start = child.start;
    const auto stop = [&](step at) {
        failed.reason = errno;
        failed.at = at;
        _exit(exit_not_found);
    };
    // If the parent died before this took effect, nothing would end the child.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != child.parent) {
        _exit(exit_by_signal + SIGKILL);
    }
    if (start.own_session) {
        setsid(); // cannot fail in a new child
    }
    if (!install(start.input, STDIN_FILENO) || !install(start.output, STDOUT_FILENO) ||
        !install(start.errors, STDERR_FILENO) ||
        (start.handed_down >= 0 && fcntl(start.handed_down, F_SETFD, 0) != 0)) {
        stop(step::descriptors);
    }
    if (!start.directory.empty() && chdir(start.directory.c_str()) != 0) {
        stop(step::directory);
    }
    if (start.placement != nullptr && !start.placement->apply()) {
        stop(step::placement);
    }
    setrlimit(RLIMIT_NOFILE, &child.original.open_files);
    sigaction(SIGPIPE, &child.original.pipe_action, nullptr);
    sigaction(SIGXFSZ, &child.original.file_size_action, nullptr);
    sigaction(SIGCHLD, &child.original.child_action, nullptr);
    sigprocmask(SIG_SETMASK, &child.original.mask, nullptr);
    execve(start.path.c_str(), child.arguments, child.environment);
    if (errno == ENOEXEC) {
        // A script without a first line that names its interpreter: a shell's, as everywhere.
        execve("/bin/sh", child.shell_arguments, child.environment);
    }
    stop(step::program);
    _exit(exit_not_found);
}

// Apart from its caller, so that no variable of the caller lives in a register across vfork.
[[gnu::noinline]] pid_t start_child(const prepared &child, volatile failure &failed) {
    const pid_t pid = vfork(); // NOLINT: the child sets itself up and calls execve, nothing else
    if (pid == 0) {
        become_program(child, failed);
    }
    return pid;
}

[[noreturn]] void explain(const process_start &start, const failure &failed) {
    const char *const reason = std::strerror(failed.reason);
    switch (failed.at) {
    case step::directory:
        give_up(exit_not_found, "cannot start '", start.path, "' in directory ", start.directory, ": ",
                reason);
    case step::placement:
        give_up(1, "cannot bind '", start.path, "' to a core: ", reason);
    case step::program:
        if (failed.reason == ENOENT) {
            give_up(exit_not_found, "cannot start '", start.path,
                    "': the file is there, but not the interpreter or loader that it names");
        }
        give_up(exit_not_executable, "cannot start '", start.path, "': ", reason);
    default:
        give_up(1, "cannot prepare the descriptors of '", start.path, "': ", reason);
    }
}

} // namespace

pid_t spawn(const process_start &start, const inherited_state &original) {
    const auto arguments = pointers_to(start.arguments);
    const auto environment = pointers_to(start.environment);
    auto shell_arguments = arguments;
    char shell[] = "sh";
    shell_arguments.front() = const_cast<char *>(start.path.c_str());
    shell_arguments.insert(shell_arguments.begin(), shell);

    volatile failure failed;
    const pid_t pid = start_child(
        {start, original, arguments.data(), environment.data(), shell_arguments.data(), getpid()}, failed);
    if (pid < 0) {
        give_up(1, "cannot start another process: ", std::strerror(errno),
                " (limits: ulimit -u, or the pids limit of a container)");
    }
    if (failed.at != step::none) {
        failure seen;
        seen.at = failed.at;
        seen.reason = failed.reason;
        explain(start, seen); // the child is reaped with all others
    }
    return pid;
}

} // namespace lisle::launch
