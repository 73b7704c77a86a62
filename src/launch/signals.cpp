// SPDX-License-Identifier: Apache-2.0
#include "launch/signals.hpp"

#include <cerrno>
#include <cstring>
#include <sys/signalfd.h>

namespace lisle::launch {

namespace {

bool ignored_from_the_start(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

sigset_t handled(bool all) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    if (all) {
        for (const int signal : ending_signals) {
            if (!ignored_from_the_start(signal)) {
                sigaddset(&set, signal);
            }
        }
        for (const int signal : passed_signals) {
            sigaddset(&set, signal);
        }
    }
    return set;
}

} // namespace

inherited_state take_over_signals() {
    inherited_state original{};
    getrlimit(RLIMIT_NOFILE, &original.open_files);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL; // an ignored SIGCHLD would keep the children's ends from us
    sigaction(SIGCHLD, &standard, &original.child_action);
    const auto set = handled(true);
    sigprocmask(SIG_BLOCK, &set, &original.mask);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &original.pipe_action);
    sigaction(SIGXFSZ, &ignore, &original.file_size_action); // ulimit -f counts for shared memory too
    return original;
}

descriptor signal_source(bool all) {
    const auto set = handled(all);
    descriptor source{signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!source) {
        give_up(1, "cannot watch for signals: ", std::strerror(errno));
    }
    return source;
}

} // namespace lisle::launch
