// SPDX-License-Identifier: Apache-2.0
#include "world/fault_note.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "world/crash.hpp"

namespace lisle {

namespace {

// The one rank of the process. Release: a handler that sees the bootstrap sees the rank's number.
int noted_rank = -1;
std::atomic<bootstrap *> noted_in{nullptr};

void note(int signal, siginfo_t *information, void *) {
    // Acquire: pairs with the release in note_faults_of.
    if (auto *const start = noted_in.load(std::memory_order_acquire); start != nullptr) {
        report_crash(*start, noted_rank, signal, reinterpret_cast<std::uintptr_t>(information->si_addr));
    }
    // The default action is in force again: the faulting instruction is repeated, and ends the process. A
    // signal that was sent must be sent again.
    if (information->si_code <= 0) {
        raise(signal);
    }
}

/// A stack that has overflowed has no room for the handler.
void use_alternate_stack() noexcept {
    static char room[std::size_t{64} << 10]; // touched by nobody else
    stack_t current{};
    if (sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE) != 0) {
        const stack_t mine{.ss_sp = room, .ss_flags = 0, .ss_size = sizeof room};
        sigaltstack(&mine, nullptr);
    }
}

} // namespace

void note_faults_of(bootstrap &start, int rank) noexcept {
    if (!start.reports_ends() || start.places().rank_count(start.self().index) != 1) {
        return;
    }
    noted_rank = rank;
    noted_in.store(&start, std::memory_order_release);
    prepare_for_crash();
    use_alternate_stack();
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
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
