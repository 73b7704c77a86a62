// SPDX-License-Identifier: Apache-2.0
#include "world/fault_note.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>

namespace lisle {

namespace {

// The one rank of the process. Release: a handler that sees the bootstrap sees the rank's number.
int noted_rank = -1;
std::atomic<bootstrap *> noted_in{nullptr};

void note(int signal, siginfo_t *information, void *) {
    // Acquire: pairs with the release in note_faults_of.
    if (auto *const start = noted_in.load(std::memory_order_acquire); start != nullptr) {
        start->report_fault(noted_rank, signal, reinterpret_cast<std::uintptr_t>(information->si_addr));
    }
    // The default action is in force again: the faulting instruction is repeated, and ends the process. A
    // signal that was sent must be sent again.
    if (information->si_code <= 0) {
        raise(signal);
    }
}

} // namespace

void note_faults_of(bootstrap &start, int rank) noexcept {
    if (!start.reports_ends() || start.places().rank_count(start.self().index) != 1) {
        return;
    }
    noted_rank = rank;
    noted_in.store(&start, std::memory_order_release);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        struct sigaction former {};
        const bool by_default = sigaction(signal, nullptr, &former) == 0 &&
                                (former.sa_flags & SA_SIGINFO) == 0 && former.sa_handler == SIG_DFL;
        if (by_default) {
            struct sigaction action {};
            action.sa_sigaction = &note;
            action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
            sigemptyset(&action.sa_mask);
            sigaction(signal, &action, nullptr);
        }
    }
}

} // namespace lisle
