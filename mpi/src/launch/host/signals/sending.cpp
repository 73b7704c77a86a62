// SPDX-License-Identifier: Apache-2.0
// raise, kill, pthread_kill, abort and their kin: a rank's signals to itself. To send one to itself a rank
// needs nobody: if no rank has asked for the signal, it takes its default action, for the whole process.
#include "launch/host/process/number.hpp"
#include "launch/host/rank/by_errno.hpp"
#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/masks.hpp"
#include "library/host_interface.h"

#include <cerrno>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"sigqueue", int(pid_t, int, sigval)> real_sigqueue;
const real<"pthread_kill", int(pthread_t, int)> real_thread_kill;
const real<"tgkill", int(pid_t, pid_t, int)> real_tgkill;
const real<"abort", void()> real_abort;

/// Whether a signal to the own process, or a thread of it, is the rank's affair.
bool is_for_rank(int signal, const void *caller) {
    return signal >= 1 && signal <= last_signal && is_watched(signal) && is_call_of_rank(caller);
}

/// Sends to a thread of the calling rank, or to the rank. Returns an errno number; -1: the thread is none of
/// the rank's.
int send(const pthread_t *to, const siginfo_t &what) {
    rank_signals &mine = signals_of.of(*this_rank());
    if (mine.use() == nullptr) {
        return EAGAIN;
    }
    const signals_locked lock;
    thread_signals *const thread = to != nullptr ? mine.find_locked(*to) : nullptr;
    return to != nullptr && thread == nullptr ? -1 : mine.send_locked(thread, what);
}

int send_to_self(int signal) {
    const pthread_t self = pthread_self();
    return send(&self, own_signal(signal, SI_TKILL));
}

/// Whether the kernel's number means the calling thread, which a fiber takes for one of its own.
bool is_own_thread(pid_t number) {
    return number == gettid() || (lisle_host_in_fiber() != 0 && is_own_number(number));
}

siginfo_t queued(int signal, sigval value) {
    siginfo_t made = own_signal(signal, SI_QUEUE);
    made.si_value = value;
    return made;
}

/// A handler may return: then the default action is taken [POSIX]. Returns only if the process goes on.
void abort_rank() {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGABRT);
    change_mask(SIG_UNBLOCK, &one, nullptr);
    send_to_self(SIGABRT);
    {
        rank_signals &mine = signals_of.of(*this_rank());
        const signals_locked lock;
        if (signal_table *const table = mine.table.load(std::memory_order_relaxed)) {
            table->actions[SIGABRT] = {};
            table->set |= bit_of(SIGABRT);
        }
    }
    send_to_self(SIGABRT);
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int raise(int signal) noexcept {
    return is_for_rank(signal, __builtin_return_address(0)) ? by_errno(send_to_self(signal))
                                                            : kernel::raise(signal);
}

int gsignal(int signal) noexcept {
    return is_for_rank(signal, __builtin_return_address(0)) ? by_errno(send_to_self(signal))
                                                            : kernel::raise(signal);
}

int kill(pid_t process, int signal) noexcept {
    return is_for_rank(signal, __builtin_return_address(0)) && is_own_number(process)
               ? by_errno(send(nullptr, own_signal(signal, SI_USER)))
               : kernel::kill(process, signal);
}

int sigqueue(pid_t process, int signal, const sigval value) noexcept {
    return is_for_rank(signal, __builtin_return_address(0)) && is_own_number(process)
               ? by_errno(send(nullptr, queued(signal, value)))
               : real_sigqueue(process, signal, value);
}

int pthread_kill(pthread_t thread, int signal) noexcept {
    if (is_for_rank(signal, __builtin_return_address(0))) {
        if (const int error = send(&thread, own_signal(signal, SI_TKILL)); error >= 0) {
            return error;
        }
    }
    return real_thread_kill(thread, signal);
}

int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
    if (is_for_rank(signal, __builtin_return_address(0))) {
        if (const int error = send(&thread, queued(signal, value)); error >= 0) {
            return error;
        }
    }
    return kernel::queue(thread, signal, value);
}

// Of a thread that is not the caller the kernel's number alone does not tell which of the rank's it is; what
// it gets so is its own (is_of_thread).
int tgkill(pid_t process, pid_t thread, int signal) {
    return is_for_rank(signal, __builtin_return_address(0)) && is_own_number(process) && is_own_thread(thread)
               ? by_errno(send_to_self(signal))
               : real_tgkill(process, thread, signal);
}

void abort() noexcept {
    if (is_for_rank(SIGABRT, __builtin_return_address(0))) {
        abort_rank();
    }
    real_abort();
    __builtin_unreachable();
}

} // extern "C"
