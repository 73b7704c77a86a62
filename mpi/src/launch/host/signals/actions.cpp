// SPDX-License-Identifier: Apache-2.0
// sigaction, signal and their kin: what a rank does about a signal. The stacks on which handlers run.
#include "launch/host/rank/by_errno.hpp"
#include "launch/host/rank/refusal.hpp"
#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/masks.hpp"

#include <cerrno>
#include <cstdio>

namespace lisle::host {

namespace {

const real<"signal", sighandler_t(int, sighandler_t)> real_signal;
const real<"__sysv_signal", sighandler_t(int, sighandler_t)> real_sysv_signal;
const real<"sigset", sighandler_t(int, sighandler_t)> real_set;
const real<"siginterrupt", int(int, int)> real_interrupt;

/// Whether the kernel itself would take the ends of children, of all ranks.
bool reaps_children(int signal, const struct sigaction &wanted) {
    return signal == SIGCHLD && (wanted.sa_handler == SIG_IGN || (wanted.sa_flags & SA_NOCLDWAIT) != 0);
}

int set_action(int signal, const struct sigaction *wanted, struct sigaction *former) {
    if (signal < 1 || signal > last_signal || signal == 32 || signal == 33 ||
        (wanted != nullptr && (bit_of(signal) & never_caught) != 0)) {
        return fail_with(EINVAL);
    }
    if (wanted != nullptr && reaps_children(signal, *wanted)) {
        return refuse_call("sigaction(SIGCHLD, SIG_IGN or SA_NOCLDWAIT)",
                           "one list of children, whose ends the kernel would drop for all of them");
    }
    rank_signals &mine = signals_of.of(*this_rank());
    signal_table *const table = wanted != nullptr ? mine.use() : mine.table.load(std::memory_order_acquire);
    if (wanted != nullptr && table == nullptr) {
        return -1;
    }
    const signals_locked lock;
    const struct sigaction before = mine.action_locked(signal);
    if (wanted != nullptr) {
        if (wanted->sa_handler != SIG_DFL && watch_locked(bit_of(signal)) != 0) {
            return fail_with(EBUSY);
        }
        table->actions[signal] = *wanted;
        table->set |= bit_of(signal);
        if (mine.ignores_locked(signal)) { // what waits is forgotten [POSIX, 2.4.3]
            table->sent.drop(signal, table->places);
            for (thread_signals *each = mine.threads; each != nullptr; each = each->next) {
                each->sent.drop(signal, table->places);
            }
        }
    }
    if (former != nullptr) {
        *former = before;
    }
    return 0;
}

sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
    struct sigaction wanted {};
    struct sigaction former {};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    sigemptyset(&wanted.sa_mask);
    if ((flags & SA_NODEFER) == 0) {
        sigaddset(&wanted.sa_mask, signal);
    }
    return set_action(signal, &wanted, &former) == 0 ? former.sa_handler : SIG_ERR;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int sigaction(int signal, const struct sigaction *wanted, struct sigaction *former) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return kernel::set_action(signal, wanted, former);
    }
    const int result = set_action(signal, wanted, former);
    if (result != 0 && errno == EBUSY) {
        return refuse_call("sigaction", signal == SIGTRAP
                                            ? "LISLE_CHECK=2, whose watchpoints need this signal"
                                            : "LISLE_WATCHDOG, which needs this signal");
    }
    return result;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
    return is_call_of_rank(__builtin_return_address(0)) ? set_handler(number, handler, SA_RESTART)
                                                        : real_signal(number, handler);
}

// Programs compiled for System V or POSIX alone call signal under this name.
sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
    return is_call_of_rank(__builtin_return_address(0))
               ? set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER))
               : real_sysv_signal(number, handler);
}

int siginterrupt(int number, int interrupts) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_interrupt(number, interrupts);
    }
    struct sigaction action {};
    if (set_action(number, nullptr, &action) != 0) {
        return -1;
    }
    action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return set_action(number, &action, nullptr);
}

// As in the C library: SIG_HOLD blocks, all else sets an action and unblocks.
sighandler_t sigset(int number, sighandler_t handler) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_set(number, handler);
    }
    sigset_t one;
    sigset_t before;
    sigemptyset(&one);
    if (sigaddset(&one, number) != 0) {
        return SIG_ERR;
    }
    struct sigaction former {};
    const bool holds = handler == SIG_HOLD;
    if (set_action(number, nullptr, &former) != 0 ||
        (!holds && set_handler(number, handler, SA_NODEFER) == SIG_ERR)) {
        return SIG_ERR;
    }
    change_mask(holds ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
    return sigismember(&before, number) == 1 ? SIG_HOLD : former.sa_handler;
}

int sigaltstack(const stack_t *wanted, stack_t *former) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return kernel::set_stack(wanted, former);
    }
    if (wanted != nullptr && (wanted->ss_flags & ~SS_DISABLE) != 0 && wanted->ss_flags != SS_ONSTACK) {
        return refuse_call("sigaltstack(SS_AUTODISARM)", "stacks for signals that the host changes over to");
    }
    if (wanted != nullptr && wanted->ss_flags != SS_DISABLE &&
        wanted->ss_size < static_cast<std::size_t>(MINSIGSTKSZ)) {
        return fail_with(ENOMEM);
    }
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const signals_locked lock;
    thread_signals *const self = signals_of.of(*this_rank()).self_locked();
    if (self == nullptr) {
        return fail_with(ENOMEM);
    }
    const bool is_on =
        here - reinterpret_cast<std::uintptr_t>(self->alternate.ss_sp) < self->alternate.ss_size;
    if (former != nullptr) {
        *former = self->alternate;
        former->ss_flags = is_on ? SS_ONSTACK : former->ss_flags;
    }
    if (wanted != nullptr && is_on) {
        return fail_with(EPERM);
    }
    if (wanted != nullptr) {
        self->alternate = wanted->ss_flags == SS_DISABLE ? stack_t{nullptr, SS_DISABLE, 0}
                                                         : stack_t{wanted->ss_sp, 0, wanted->ss_size};
    }
    return 0;
}

} // extern "C"
