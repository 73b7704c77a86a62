// SPDX-License-Identifier: Apache-2.0
// SIGCHLD is one for all children that end at about the same time, so each of those that are known is looked
// at when it comes.
#include "launch/host/signals/children.hpp"

#include "launch/host/process/children.hpp"
#include "launch/host/process/fork_handlers.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/signals/dispatch.hpp"

#include <cerrno>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace lisle::host {

namespace {

struct child {
    pid_t number;
    rank_signals *parent;
    bool has_ended; ///< its parent has been told; the kernel's own signal for it may yet come
};

// All under the lock of signals. Children for which there is no place are unknown.
constinit child known[4096]{};
constinit std::size_t places = 0; ///< that have ever been used
constinit int beginning = 0;

/// Tells the parent of a child that has ended.
void look_at_locked(child &one) noexcept {
    if (one.has_ended) {
        return;
    }
    siginfo_t end{};
    const int result = waitid(P_PID, static_cast<id_t>(one.number), &end, WEXITED | WNOHANG | WNOWAIT);
    const bool taken = result != 0 && errno == ECHILD; // its parent has waited for it already
    if (taken || (result == 0 && end.si_pid != 0)) {
        if (taken) {
            end = own_signal(SIGCHLD, CLD_EXITED);
            end.si_pid = one.number;
        }
        one.has_ended = true;
        if (one.parent->lives.load(std::memory_order_relaxed) &&
            one.parent->table.load(std::memory_order_relaxed) != nullptr) {
            one.parent->send_locked(nullptr, end);
        }
    }
}

/// The place of a former child of this number, a new one, or the first of a child that has ended. Null: there
/// is none.
child *place_for_locked(pid_t number) noexcept {
    child *ended = nullptr;
    for (std::size_t at = 0; at != places; ++at) {
        if (known[at].number == number) {
            return &known[at];
        }
        ended = ended == nullptr && known[at].has_ended ? &known[at] : ended;
    }
    return places != std::size(known) ? &known[places++] : ended;
}

const real<"fork", pid_t()> real_fork;

pid_t fork_for(const void *caller) {
    if (!is_call_of_rank(caller)) {
        return real_fork();
    }
    fork_handlers &handlers = rank_fork_handlers.current();
    handlers.run_before();
    child_start start;
    const pid_t child = real_fork();
    start.began(child);
    if (child == 0) {
        handlers.run_in_child();
    } else {
        handlers.run_in_parent();
    }
    return child;
}

} // namespace

child_start::child_start() : rank_(is_watched(SIGCHLD) ? this_rank() : nullptr) {
    if (rank_ != nullptr) {
        const signals_locked lock;
        ++beginning;
    }
}

child_start::~child_start() {
    if (rank_ != nullptr && !in_child()) {
        const signals_locked lock;
        --beginning;
    }
}

void child_start::began(pid_t number) {
    if (number > 0 && this_rank() != nullptr && !in_child()) {
        rank_children.current().add(number);
    }
    if (rank_ == nullptr || number <= 0) {
        return;
    }
    const signals_locked lock;
    child *place = place_for_locked(number);
    if (place != nullptr) {
        *place = {number, &signals_of.of(*rank_), false};
        look_at_locked(*place); // it may have ended before it was known
    }
}

bool tell_of_children_locked(const siginfo_t &information) noexcept {
    bool is_known = false;
    for (std::size_t at = 0; at != places; ++at) {
        const bool meant = known[at].number == information.si_pid;
        is_known |= meant;
        if (meant && information.si_code > CLD_TRAPPED) { // stopped or goes on
            known[at].parent->send_locked(nullptr, information);
        }
        look_at_locked(known[at]);
    }
    return is_known || beginning != 0;
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

pid_t fork() noexcept {
    return fork_for(__builtin_return_address(0));
}

// As POSIX allows: a child that borrows the rank's memory could not be told from the rank.
pid_t vfork() noexcept {
    return fork_for(__builtin_return_address(0));
}

} // extern "C"
