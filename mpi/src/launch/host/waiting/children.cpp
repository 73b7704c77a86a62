// SPDX-License-Identifier: Apache-2.0
// Waiting for children: "any child" means one of the rank's, and other fibers run meanwhile.
#include "launch/host/process/children.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/asking.hpp"

#include <algorithm>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"wait4", pid_t(pid_t, int *, int, rusage *)> real_wait4;
const real<"waitid", int(idtype_t, id_t, siginfo_t *, int)> real_waitid;
const real<"syscall", long(long, ...)> real_call;

/// Asks until there is an answer that is not 0, for a call that returns to `caller`. A thread, which the
/// kernel could wake for children of other ranks only, looks again after at most a millisecond.
template <class Ask> auto wait_until(const void *caller, bool at_once, Ask ask) {
    if (gives_way(caller)) {
        return ask_until(at_once ? deadline::after(0) : deadline{}, ended_by::without_restart, ask);
    }
    for (timespec pause{0, 20'000};; pause.tv_nsec = std::min(pause.tv_nsec * 2, 1'000'000L)) {
        if (const auto result = ask(); result != 0 || at_once) {
            return result;
        }
        real_clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    }
}

bool has_ended(int status) {
    return WIFEXITED(status) || WIFSIGNALED(status);
}

/// wait4 for one child of the calling rank.
pid_t wait_for_one(pid_t child, int *status, int options, rusage *used) {
    int state = 0;
    rusage by_child{};
    const pid_t found = real_wait4(child, &state, options, &by_child);
    if (found <= 0) {
        if (found < 0 && errno == ECHILD) { // waited for already, by system calls of the program's own
            rank_children.current().remove(child, {});
        }
        return found;
    }
    if (has_ended(state)) {
        rank_children.current().remove(found, by_child);
    }
    if (status != nullptr) {
        *status = state;
    }
    if (used != nullptr) {
        *used = by_child;
    }
    return found;
}

/// Whether `which`, as wait4 has it, means this child.
bool means(pid_t which, pid_t child) {
    return which == -1 || getpgid(child) == (which == 0 ? getpgid(0) : -which);
}

/// One look at all children of the calling rank that are meant.
pid_t look_at_all(pid_t which, int *status, int options, rusage *used) {
    bool any = false;
    for (const pid_t each : rank_children.current().all()) {
        if (means(which, each)) {
            const pid_t found = wait_for_one(each, status, options | WNOHANG, used);
            if (found > 0) {
                return found;
            }
            any |= found == 0;
        }
    }
    errno = ECHILD;
    return any ? 0 : -1;
}

pid_t wait_for(const void *caller, pid_t which, int *status, int options, rusage *used) {
    if (!is_call_of_rank(caller)) {
        return real_wait4(which, status, options, used);
    }
    const bool at_once = (options & WNOHANG) != 0;
    if (which <= 0) {
        return wait_until(caller, at_once, [=] { return look_at_all(which, status, options, used); });
    }
    return gives_way(caller)
               ? wait_until(caller, at_once,
                            [=] { return wait_for_one(which, status, options | WNOHANG, used); })
               : wait_for_one(which, status, options, used);
}

/// waitid for one child. 0: nothing yet, 1: an answer, -1: an error.
int look_at_one(id_t child, siginfo_t *answer, int options) {
    siginfo_t found{};
    rusage used{};
    if (real_call(SYS_waitid, P_PID, child, &found, options | WNOHANG, &used) != 0) {
        return -1;
    }
    if (found.si_pid == 0) {
        return 0;
    }
    const bool has_gone =
        found.si_code == CLD_EXITED || found.si_code == CLD_KILLED || found.si_code == CLD_DUMPED;
    if (has_gone && (options & WNOWAIT) == 0) {
        rank_children.current().remove(found.si_pid, used);
    }
    if (answer != nullptr) {
        *answer = found;
    }
    return 1;
}

int look_for(idtype_t kind, id_t id, siginfo_t *answer, int options) {
    if (kind == P_PID) {
        return look_at_one(id, answer, options);
    }
    const pid_t which = kind == P_ALL ? -1 : -static_cast<pid_t>(id);
    bool any = false;
    for (const pid_t each : rank_children.current().all()) {
        if (means(which, each)) {
            const int found = look_at_one(static_cast<id_t>(each), answer, options);
            if (found > 0) {
                return found;
            }
            any |= found == 0;
        }
    }
    errno = ECHILD;
    return any ? 0 : -1;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

pid_t wait(int *status) {
    return wait_for(__builtin_return_address(0), -1, status, 0, nullptr);
}
pid_t waitpid(pid_t which, int *status, int options) {
    return wait_for(__builtin_return_address(0), which, status, options, nullptr);
}
pid_t wait3(int *status, int options, rusage *used) noexcept {
    return wait_for(__builtin_return_address(0), -1, status, options, used);
}
pid_t wait4(pid_t which, int *status, int options, rusage *used) noexcept {
    return wait_for(__builtin_return_address(0), which, status, options, used);
}

int waitid(idtype_t kind, id_t id, siginfo_t *answer, int options) {
    const void *const caller = __builtin_return_address(0);
    if (!is_call_of_rank(caller) || (kind != P_ALL && kind != P_PGID && kind != P_PID)) {
        return real_waitid(kind, id, answer, options);
    }
    const int found =
        wait_until(caller, (options & WNOHANG) != 0, [=] { return look_for(kind, id, answer, options); });
    if (found == 0 && answer != nullptr) {
        answer->si_pid = 0;
        answer->si_signo = 0;
    }
    return found < 0 ? -1 : 0;
}

} // extern "C"
