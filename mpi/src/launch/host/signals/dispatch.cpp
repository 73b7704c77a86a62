// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/dispatch.hpp"

#include "launch/host/architecture/signal_frame.hpp"
#include "launch/host/process/number.hpp"
#include "launch/host/rank/handlers_run.hpp"
#include "launch/host/rank/own_code.hpp"
#include "launch/host/rank/turns.hpp"
#include "launch/host/signals/children.hpp"
#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/timers.hpp"
#include "library/host_interface.h"

#include <cerrno>
#include <pthread.h>
#include <unistd.h>

namespace lisle::host {

namespace {

// What the process did about each signal before it was watched. Written before the bit in `watched`.
constinit struct sigaction of_process[NSIG] {};
// Release by who watches, acquire by all others: they see what the process did before.
constinit std::atomic<signal_bits> watched{0};

// Whether a rank uses signals. Written under the lock. Relaxed: fibers that have begun meanwhile take their
// masks at their next turn.
constinit std::atomic<bool> begun{false};

bool is_function(const struct sigaction &action) noexcept {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void run(const struct sigaction &action, int signal, siginfo_t &information, void *context) {
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(signal, &information, context);
    } else {
        action.sa_handler(signal);
    }
}

/// What happens to the process if a rank has no handler.
void act_by_default(int signal, siginfo_t &information, void *context) {
    const struct sigaction &before = of_process[signal];
    const signal_bits bit = bit_of(signal);
    if (is_function(before)) { // notes the fault (life/faults.cpp), or is a sanitizer's
        run(before, signal, information, context);
    } else if (before.sa_handler == SIG_DFL && (bit & stopping) != 0) {
        kernel::kill(getpid(), SIGSTOP);
    } else if (before.sa_handler == SIG_DFL && (bit & ignored_by_default) == 0) {
        kernel::set_action(signal, &before, nullptr);
        kernel::raise(signal);
        kernel::exchange_mask(~bit);
    }
}

/// A handler of a rank is to run on the calling thread.
struct due_handler {
    struct sigaction action;
    stack_t alternate;
};

bool lies_on(const stack_t &stack, std::uintptr_t address) noexcept {
    return address - reinterpret_cast<std::uintptr_t>(stack.ss_sp) < stack.ss_size;
}

/// Lets the rank's handler run as soon as the dispatcher has returned.
void call_handler(const due_handler &due, int signal, siginfo_t &information, void *context) {
    const struct sigaction &action = due.action;
    if (!architecture::is_kernels(information, context)) {
        run(action, signal, information, context);
        return;
    }
    const bool is_fault = information.si_code > 0 && (bit_of(signal) & faults) != 0;
    if ((action.sa_flags & SA_RESTART) == 0 && !is_fault) {
        architecture::give_up_call(context);
    }
    std::uintptr_t stack = architecture::interrupted_stack(context);
    if ((action.sa_flags & SA_ONSTACK) != 0 && (due.alternate.ss_flags & SS_DISABLE) == 0 &&
        !lies_on(due.alternate, stack)) {
        stack = reinterpret_cast<std::uintptr_t>(due.alternate.ss_sp) + due.alternate.ss_size;
    }
    const signal_bits own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : bit_of(signal);
    auto *const handler = (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<void *>(action.sa_sigaction)
                                                              : reinterpret_cast<void *>(action.sa_handler);
    architecture::call_next(
        {.signal = signal,
         .handler = handler,
         .stack = stack,
         .masked = architecture::interrupted_mask(context) | bits_of(action.sa_mask) | own},
        context);
}

/// What the rank does about a signal that its thread has taken, which is counted.
due_handler begin_action_locked(rank_signals &of, thread_signals &by, int signal) noexcept {
    const due_handler due{of.action_locked(signal), by.alternate};
    if (is_function(due.action)) {
        by.handled.fetch_add(1, std::memory_order_relaxed);
        if (by.is_fiber) {
            handler_counts &counts = handlers_run.of(*of.rank);
            counts.all.fetch_add(1, std::memory_order_relaxed);
            counts.interrupting.fetch_add((due.action.sa_flags & SA_RESTART) == 0 ? 1 : 0,
                                          std::memory_order_relaxed);
        }
        if ((due.action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
            of.table.load(std::memory_order_relaxed)->actions[signal].sa_handler = SIG_DFL;
        }
    }
    return due;
}

void act(const due_handler &due, int signal, siginfo_t &information, void *context) {
    if (is_function(due.action)) {
        call_handler(due, signal, information, context);
    } else if (due.action.sa_handler == SIG_DFL) {
        act_by_default(signal, information, context);
    }
}

/// The rank that the calling thread runs, unless its worker is between two fibers.
rank_signals *running_rank() noexcept {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr || lisle_host_between_fibers() != 0) {
        return nullptr;
    }
    rank_signals &found = signals_of.of(*rank);
    return found.lives.load(std::memory_order_relaxed) ? &found : nullptr;
}

/// A ring: takes what has been sent to the rank that runs. What is for another fiber comes when that one
/// runs.
void on_ring(int signal, siginfo_t &information, void *context) {
    rank_signals *const rank = running_rank();
    if (rank == nullptr || rank->table.load(std::memory_order_acquire) == nullptr) {
        return;
    }
    due_handler due{};
    {
        const signals_locked lock;
        thread_signals *const self = rank->self_locked();
        if (self == nullptr || !rank->take_locked(*self, bit_of(signal), information)) {
            return;
        }
        if ((rank->sent_to(*self) & bit_of(signal)) != 0) {
            ring(*self, signal);
        }
        if ((bit_of(signal) & bit_of(SIGCHLD)) != 0 && information.si_code > CLD_TRAPPED &&
            (rank->action_locked(signal).sa_flags & SA_NOCLDSTOP) != 0) {
            return;
        }
        due = begin_action_locked(*rank, *self, signal);
    }
    act(due, signal, information, context);
}

void on_fault(int signal, siginfo_t &information, void *context) {
    rank_signals *const rank = running_rank();
    due_handler due{};
    due.action.sa_handler = SIG_DFL;
    if (rank != nullptr) {
        const signals_locked lock;
        thread_signals *const self = rank->self_locked();
        const bool room = self != nullptr && (!architecture::has_overflowed(information, context) ||
                                              ((rank->action_locked(signal).sa_flags & SA_ONSTACK) != 0 &&
                                               (self->alternate.ss_flags & SS_DISABLE) == 0));
        if (room && is_function(rank->action_locked(signal))) {
            rank->fault.store(signal, std::memory_order_relaxed);
            rank->fault_address.store(information.si_addr, std::memory_order_relaxed);
            due = begin_action_locked(*rank, *self, signal);
        }
    }
    act(due, signal, information, context);
}

/// Whether this rank lets the process die or stop of a signal to all.
bool takes_default_locked(const rank_signals &rank, int signal) noexcept {
    return !rank.ignores_locked(signal) && rank.action_locked(signal).sa_handler == SIG_DFL &&
           !rank.holds_back_locked(nullptr, signal);
}

/// A signal from outside, for each rank as for each process of a job. False: it is to take its course.
bool send_to_all_locked(const siginfo_t &information) noexcept {
    bool any = false;
    for (rank_signals *each = ranks_with_signals(); each != nullptr; each = each->next) {
        if (each->lives.load(std::memory_order_relaxed)) {
            any = true;
            if (takes_default_locked(*each, information.si_signo)) {
                return false;
            }
        }
    }
    for (rank_signals *each = ranks_with_signals(); each != nullptr; each = each->next) {
        if (each->lives.load(std::memory_order_relaxed) &&
            each->table.load(std::memory_order_relaxed) != nullptr) {
            each->send_locked(nullptr, information);
        }
    }
    return any;
}

/// The kernel sends some signals to the thread that has caused them, as if the process had.
bool is_of_thread(const siginfo_t &information) noexcept {
    return (information.si_code == SI_USER || information.si_code == SI_TKILL ||
            information.si_code == SI_QUEUE) &&
           information.si_pid == getpid();
}

/// Gives the signal to whom it is for. False: nobody; it is to take its course.
bool hand_over(siginfo_t &information) noexcept {
    const signals_locked lock;
    if (is_of_timer_locked(information)) {
        if (rank_signals *const owner = rank_of_timer_locked(information)) {
            owner->send_locked(nullptr, information);
        }
        return true;
    }
    if (information.si_signo == SIGCHLD && information.si_code > 0 && tell_of_children_locked(information)) {
        return true;
    }
    if (rank_signals *const rank = running_rank(); rank != nullptr && is_of_thread(information)) {
        thread_signals *const self = rank->self_locked();
        if (self != nullptr && rank->table.load(std::memory_order_relaxed) != nullptr) {
            rank->send_locked(self, information);
            return true;
        }
        return rank->ignores_locked(information.si_signo);
    }
    return send_to_all_locked(information);
}

/// The process's handler, with all signals blocked.
void dispatch(int signal, siginfo_t *information, void *context) {
    const int error_number = errno;
    if (is_ring(*information)) {
        on_ring(signal, *information, context);
    } else if (information->si_code > 0 && (bit_of(signal) & faults) != 0) {
        on_fault(signal, *information, context);
    } else if (siginfo_t handed = *information; !hand_over(handed)) {
        act_by_default(signal, *information, context);
    }
    errno = error_number;
}

} // namespace

bool is_watched(int signal) noexcept {
    return (watched.load(std::memory_order_acquire) & bit_of(signal)) != 0;
}

bool process_ignores(int signal) noexcept {
    if (is_watched(signal)) {
        return of_process[signal].sa_handler == SIG_IGN;
    }
    struct sigaction now {};
    return kernel::set_action(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

signal_bits watch_locked(signal_bits signals) noexcept {
    constexpr signal_bits noted = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) |
                                  bit_of(SIGABRT); // by life/faults.cpp
    signal_bits refused = 0;
    const signal_bits wanted = signals & ~never_caught & ~watched.load(std::memory_order_relaxed);
    for (int signal = 1; signal <= last_signal; ++signal) {
        const signal_bits bit = bit_of(signal);
        if ((wanted & bit) == 0 || kernel::set_action(signal, nullptr, &of_process[signal]) != 0) {
            continue;
        }
        const struct sigaction &before = of_process[signal];
        if (is_function(before) && (bit & noted) == 0 &&
            is_own_code(reinterpret_cast<const void *>(before.sa_handler))) {
            refused |= bit;
            continue;
        }
        struct sigaction ours {};
        ours.sa_sigaction = &dispatch;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        ours.sa_mask = set_of(all_signals);
        // First: the handler that may come at once finds what the process did before.
        watched.fetch_or(bit, std::memory_order_release);
        kernel::set_action(signal, &ours, nullptr);
    }
    return refused;
}

siginfo_t own_signal(int signal, int code) noexcept {
    siginfo_t made{};
    made.si_signo = signal;
    made.si_code = code;
    made.si_pid = known_number();
    made.si_uid = getuid();
    return made;
}

void begin_to_dispatch_locked() noexcept {
    if (!begun.load(std::memory_order_relaxed)) {
        begun.store(true, std::memory_order_relaxed);
        pthread_atfork(nullptr, nullptr, &become_process);
        call_at_turns(&after_turn);
    }
}

void become_process() noexcept {
    signals_locked::reset();
    begun.store(false, std::memory_order_relaxed); // the only fiber
    hosted_rank *const rank = this_rank();
    if (rank == nullptr) {
        return;
    }
    rank_signals &mine = signals_of.of(*rank);
    const signal_bits all = watched.load(std::memory_order_relaxed);
    for (int signal = 1; signal <= last_signal; ++signal) {
        if ((all & bit_of(signal)) != 0) {
            const struct sigaction action = mine.action_locked(signal);
            kernel::set_action(signal, action.sa_handler == SIG_DFL ? &of_process[signal] : &action, nullptr);
        }
    }
    if (thread_signals *const self = mine.self_locked();
        self != nullptr && (self->alternate.ss_flags & SS_DISABLE) == 0) {
        kernel::set_stack(&self->alternate, nullptr);
    }
}

void after_turn() noexcept {
    hosted_rank *const rank = this_rank();
    if (rank == nullptr || !begun.load(std::memory_order_relaxed)) {
        return;
    }
    const int error_number = errno;
    rank_signals &mine = signals_of.of(*rank);
    worker_signals *const worker = worker_of(mine.first);
    if (worker != nullptr && worker->in_force != &mine.first) {
        thread_signals *const former = worker->in_force;
        worker->in_force = &mine.first; // first: a handler that comes with the mask may jump away
        const signal_bits left = kernel::exchange_mask(mine.first.mask.load(std::memory_order_relaxed));
        if (former != nullptr) {
            former->mask.store(left, std::memory_order_relaxed);
        }
    }
    const signal_bits sent = mine.sent_to(mine.first);
    for (int signal = 1; sent != 0 && signal <= last_signal; ++signal) {
        if ((sent & bit_of(signal)) != 0) {
            ring(mine.first, signal);
        }
    }
    errno = error_number;
}

} // namespace lisle::host
