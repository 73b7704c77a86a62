// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/faults.hpp"

#include "launch/host/life/fault_causes.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/signals/rank_signals.hpp"
#include "library/host_interface.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace lisle::host {

namespace {

constexpr int watched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// What was to be done about each signal before; written before any rank runs.
struct sigaction former[NSIG];

void on_fault(int signal, siginfo_t *information, void *context) {
    hosted_rank *const rank = this_rank();
    const void *address = information->si_addr;
    if (information->si_code <= 0) { // raised, maybe by a handler that has reported a fault
        const rank_signals *const known = rank != nullptr ? &signals_of.of(*rank) : nullptr;
        const bool same = known != nullptr && known->fault.load(std::memory_order_relaxed) == signal;
        address = same ? known->fault_address.load(std::memory_order_relaxed) : nullptr;
    }
    lisle_host_record_fault(rank != nullptr ? rank->number : -1, signal, address);
    static std::atomic<bool> explained{false}; // a second fault, within the explanation too, takes its course
    if (rank != nullptr && !explained.exchange(true, std::memory_order_relaxed)) {
        explain_fault(rank->number, signal, *information, context);
    }
    const struct sigaction &next = former[signal];
    if ((next.sa_flags & SA_SIGINFO) != 0) {
        next.sa_sigaction(signal, information, context);
    } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
        next.sa_handler(signal);
    } else {
        struct sigaction by_default {};
        by_default.sa_handler = SIG_DFL;
        sigaction(signal, &by_default, nullptr);
        // Faults of an instruction come again when it is repeated, at the right place for a core dump.
        if (information->si_code <= 0) {
            raise(signal);
        }
    }
}

} // namespace

void watch_faults() {
    lisle_host_prepare_for_fault();
    for (const int signal : watched) {
        struct sigaction action {};
        action.sa_sigaction = &on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(signal, &action, &former[signal]);
    }
}

alternate_stack::alternate_stack() {
    stack_t current{};
    if (sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE) != 0) {
        stack_t mine{};
        mine.ss_sp = room_;
        mine.ss_size = sizeof room_;
        mine_ = sigaltstack(&mine, nullptr) == 0;
    }
}

alternate_stack::~alternate_stack() {
    if (mine_) {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
    }
}

} // namespace lisle::host
