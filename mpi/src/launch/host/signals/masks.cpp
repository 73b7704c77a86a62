// SPDX-License-Identifier: Apache-2.0
// sigprocmask, sigpending and their kin. The kernel blocks for a thread what the program says; what is
// blocked must not end the process when it comes from outside, so the process's handler gets it from then on.
#include "launch/host/signals/masks.hpp"

#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"

#include <cerrno>

namespace lisle::host {

namespace {

const real<"sigpending", int(sigset_t *)> real_pending;
const real<"sighold", int(int)> real_hold;
const real<"sigrelse", int(int)> real_release;
const real<"sigprocmask", int(int, const sigset_t *, sigset_t *)> real_process_mask;

int change_one(int how, int number) {
    sigset_t one;
    sigemptyset(&one);
    if (sigaddset(&one, number) != 0) {
        return -1;
    }
    errno = change_mask(how, &one, nullptr);
    return errno == 0 ? 0 : -1;
}

} // namespace

void note_mask(rank_signals &of, signal_bits mask) {
    const signals_locked lock;
    thread_signals *const self = of.self_locked();
    if (self == nullptr) {
        return;
    }
    worker_signals *const worker = worker_of(*self);
    self->mask.store(mask, std::memory_order_relaxed);
    if (worker != nullptr) {
        worker->in_force = self;
    }
}

int change_mask(int how, const sigset_t *set, sigset_t *former) {
    rank_signals &mine = signals_of.of(*this_rank());
    if (set == nullptr || how < SIG_BLOCK || how > SIG_SETMASK) {
        return kernel::change_mask(how, set, former);
    }
    if (mine.table.load(std::memory_order_acquire) == nullptr && mine.use() == nullptr) {
        return ENOMEM;
    }
    if (how != SIG_UNBLOCK) { // before the mask: afterwards one may come from outside
        const signals_locked lock;
        watch_locked(bits_of(*set) & ~faults);
    }
    sigset_t before;
    sigset_t after;
    kernel::change_mask(SIG_BLOCK, nullptr, &before);
    const signal_bits given = bits_of(*set);
    const signal_bits now = how == SIG_BLOCK     ? bits_of(before) | given
                            : how == SIG_UNBLOCK ? bits_of(before) & ~given
                                                 : given;
    note_mask(mine, now & ~never_caught); // first: a handler may come with the change and jump away
    after = set_of(now);
    const int error = kernel::change_mask(SIG_SETMASK, &after, nullptr);
    if (former != nullptr) {
        *former = before;
    }
    return error;
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int pthread_sigmask(int how, const sigset_t *set, sigset_t *former) noexcept {
    return is_call_of_rank(__builtin_return_address(0)) ? change_mask(how, set, former)
                                                        : kernel::change_mask(how, set, former);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *former) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_process_mask(how, set, former);
    }
    const int error = change_mask(how, set, former);
    if (error != 0) {
        errno = error;
    }
    return error == 0 ? 0 : -1;
}

int sighold(int number) noexcept {
    return is_call_of_rank(__builtin_return_address(0)) ? change_one(SIG_BLOCK, number) : real_hold(number);
}

int sigrelse(int number) noexcept {
    return is_call_of_rank(__builtin_return_address(0)) ? change_one(SIG_UNBLOCK, number)
                                                        : real_release(number);
}

int sigpending(sigset_t *set) noexcept {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_pending(set);
    }
    rank_signals &mine = signals_of.of(*this_rank());
    sigset_t mask;
    kernel::change_mask(SIG_BLOCK, nullptr, &mask);
    const signals_locked lock;
    const thread_signals *const self = mine.self_locked();
    *set = set_of(self != nullptr ? mine.sent_to(*self) & bits_of(mask) : 0);
    return 0;
}

} // extern "C"
