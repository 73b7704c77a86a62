// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/signals.hpp"

#include <cerrno>
#include <cstring>

namespace lisle::launch {

namespace {

bool ignored_from_the_start(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

sigset_t with_ends_of_children(sigset_t set) {
    sigaddset(&set, SIGCHLD);
    return set;
}

} // namespace

sigset_t handled_signals(std::span<const int> more) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : ending_signals) {
        // SIGQUIT asks for what the ranks wait for as well, which is_ignored tells apart: what is blocked
        // comes to signal_source even where it is ignored.
        if (signal == SIGQUIT || !ignored_from_the_start(signal)) {
            sigaddset(&set, signal);
        }
    }
    for (const int signal : passed_signals) {
        sigaddset(&set, signal);
    }
    for (const int signal : more) {
        sigaddset(&set, signal);
    }
    return set;
}

bool is_ignored(const signalfd_siginfo &seen) {
    return seen.ssi_code == SI_KERNEL && ignored_from_the_start(static_cast<int>(seen.ssi_signo));
}

inherited_state take_over_signals(const sigset_t &handled) {
    inherited_state original{};
    getrlimit(RLIMIT_NOFILE, &original.open_files);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL; // an ignored SIGCHLD would keep the children's ends from us
    sigaction(SIGCHLD, &standard, &original.child_action);
    const auto set = with_ends_of_children(handled);
    sigprocmask(SIG_BLOCK, &set, &original.mask);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &original.pipe_action);
    sigaction(SIGXFSZ, &ignore, &original.file_size_action); // ulimit -f counts for shared memory too
    return original;
}

descriptor signal_source(const sigset_t &handled) {
    const auto set = with_ends_of_children(handled);
    descriptor source{signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!source) {
        give_up(1, "cannot watch for signals: ", std::strerror(errno));
    }
    return source;
}

} // namespace lisle::launch
