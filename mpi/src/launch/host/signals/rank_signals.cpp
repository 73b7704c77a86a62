// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/rank_signals.hpp"

#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/signal_files.hpp"
#include "library/host_interface.h"

#include <bit>
#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

// Acquire by who gets the lock, release by who gives it back: they see what was done under it.
constinit std::atomic<bool> locked{false};
// Release by a rank that begins, acquire by who goes through them.
constinit std::atomic<rank_signals *> newest{nullptr};
// Its address is what a ring carries.
constinit char ring_mark = 0;

} // namespace

signals_locked::signals_locked() : before_(kernel::exchange_mask(all_signals)) {
    while (locked.exchange(true, std::memory_order_acquire)) {
        kernel::call(SYS_sched_yield);
    }
}

signals_locked::~signals_locked() {
    locked.store(false, std::memory_order_release);
    kernel::exchange_mask(before_);
}

void signals_locked::reset() noexcept {
    locked.store(false, std::memory_order_release);
}

rank_signals *ranks_with_signals() noexcept {
    return newest.load(std::memory_order_acquire);
}

void add_rank(hosted_rank &rank, bool is_fiber) {
    rank_signals &made = signals_of.of(rank);
    made.rank = &rank;
    made.first.thread = pthread_self();
    made.first.is_fiber = is_fiber;
    made.threads = &made.first;
    made.lives.store(true, std::memory_order_relaxed);
    made.next = newest.load(std::memory_order_relaxed);
    while (!newest.compare_exchange_weak(made.next, &made, std::memory_order_release)) {
    }
}

signal_table *rank_signals::use() {
    signal_table *made = table.load(std::memory_order_acquire);
    if (made != nullptr) {
        return made;
    }
    void *const memory = mmap(nullptr, sizeof(signal_table), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        errno = ENOMEM;
        return nullptr;
    }
    made = static_cast<signal_table *>(memory);
    const signals_locked lock;
    if (signal_table *const other = table.load(std::memory_order_relaxed)) {
        munmap(memory, sizeof(signal_table));
        return other;
    }
    table.store(made, std::memory_order_release);
    begin_to_dispatch_locked();
    return made;
}

thread_signals *rank_signals::find_locked(pthread_t thread) noexcept {
    thread_signals *found = threads;
    while (found != nullptr && pthread_equal(found->thread, thread) == 0) {
        found = found->next;
    }
    return found;
}

struct sigaction rank_signals::action_locked(int signal) const noexcept {
    const signal_table *const used = table.load(std::memory_order_relaxed);
    if (used != nullptr && (used->set & bit_of(signal)) != 0) {
        return used->actions[signal];
    }
    struct sigaction inherited {};
    inherited.sa_handler = process_ignores(signal) ? SIG_IGN : SIG_DFL;
    return inherited;
}

bool rank_signals::ignores_locked(int signal) const noexcept {
    const struct sigaction action = action_locked(signal);
    return action.sa_handler == SIG_IGN ||
           (action.sa_handler == SIG_DFL && (bit_of(signal) & ignored_by_default) != 0);
}

bool rank_signals::holds_back_locked(const thread_signals *to, int signal) const noexcept {
    const auto blocks = [signal](const thread_signals &one) {
        return (one.mask.load(std::memory_order_relaxed) & bit_of(signal)) != 0;
    };
    if (to != nullptr) {
        return blocks(*to);
    }
    for (const thread_signals *each = threads; each != nullptr; each = each->next) {
        if (!blocks(*each)) {
            return false;
        }
    }
    return true;
}

int rank_signals::send_locked(thread_signals *to, const siginfo_t &what) noexcept {
    signal_table &used = *table.load(std::memory_order_relaxed);
    const bool held_back = holds_back_locked(to, what.si_signo);
    if (ignores_locked(what.si_signo) && !held_back) {
        return 0;
    }
    if (held_back && write_to_file_locked(used, what)) {
        return 0;
    }
    if (!(to != nullptr ? to->sent : used.sent).add(what, used.places)) {
        return EAGAIN;
    }
    announce_locked(to, what.si_signo);
    return 0;
}

// A thread that blocks the signal is rung as well if all do: whichever unblocks it first then takes it.
void rank_signals::announce_locked(thread_signals *to, int signal) noexcept {
    signal_table &used = *table.load(std::memory_order_relaxed);
    used.news.fetch_add(1, std::memory_order_release);
    kernel::call(SYS_futex, &used.news, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    const bool all = to == nullptr && holds_back_locked(nullptr, signal);
    for (thread_signals *each = threads; each != nullptr; each = each->next) {
        if (each == to || all || (to == nullptr && !holds_back_locked(each, signal))) {
            ring(*each, signal);
            if (each->is_fiber) {
                lisle_host_ring(rank->in_library);
            }
            if (!all) {
                return;
            }
        }
    }
}

signal_bits rank_signals::sent_to(const thread_signals &one) const noexcept {
    const signal_table *const used = table.load(std::memory_order_acquire);
    return one.sent.set() | (used != nullptr ? used->sent.set() : 0);
}

bool rank_signals::take_locked(thread_signals &by, signal_bits wanted, siginfo_t &into) noexcept {
    signal_table &used = *table.load(std::memory_order_relaxed);
    const signal_bits there = sent_to(by) & wanted;
    if (there == 0) {
        return false;
    }
    const int signal = std::countr_zero(there) + 1;
    if (!by.sent.take(signal, into, used.places)) {
        used.sent.take(signal, into, used.places);
    }
    return true;
}

void ring(const thread_signals &one, int signal) noexcept {
    sigval mark{};
    mark.sival_ptr = &ring_mark;
    kernel::queue(one.thread, signal, mark);
}

bool is_ring(const siginfo_t &information) noexcept {
    return information.si_code == SI_QUEUE && information.si_value.sival_ptr == &ring_mark;
}

} // namespace lisle::host
