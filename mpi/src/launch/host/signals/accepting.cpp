// SPDX-License-Identifier: Apache-2.0
// sigwait, sigsuspend, pause: calls that wait for a signal. Other fibers of a worker run meanwhile.
#include "launch/host/rank/by_errno.hpp"
#include "launch/host/rank/handlers_run.hpp"
#include "launch/host/signals/dispatch.hpp"
#include "launch/host/signals/kernel.hpp"
#include "launch/host/signals/masks.hpp"
#include "launch/host/waiting/giving_way.hpp"
#include "library/host_interface.h"

#include <cerrno>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"sigtimedwait", int(const sigset_t *, siginfo_t *, const timespec *)> real_timed_wait;
const real<"sigwaitinfo", int(const sigset_t *, siginfo_t *)> real_wait_info;
const real<"sigwait", int(const sigset_t *, int *)> real_sigwait;
const real<"sigsuspend", int(const sigset_t *)> real_suspend;
const real<"pause", int()> real_pause;

/// Waits until something has been sent since `seen` or `rung`, a handler has run or the time is over.
void sleep(signal_table &table, unsigned seen, std::uint32_t rung, bool as_fiber, const deadline &end) {
    const std::int64_t left = end.left(std::numeric_limits<std::int64_t>::max());
    if (as_fiber) {
        lisle_host_rest(
            rung, left == std::numeric_limits<std::int64_t>::max() ? 0 : static_cast<std::uint64_t>(left));
        return;
    }
    const timespec time{left / second, left % second};
    kernel::call(SYS_futex, &table.news, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

/// Takes one of these signals, for a call that returns to `caller`. Returns its number, or -1 with EAGAIN:
/// the time is over, or EINTR: a handler has run.
int accept(signal_bits wanted, siginfo_t &into, const deadline &end, const void *caller) {
    rank_signals &mine = signals_of.of(*this_rank());
    signal_table *const table = mine.use();
    if (table == nullptr) {
        return fail_with(EAGAIN);
    }
    const bool as_fiber = gives_way(caller);
    thread_signals *self = nullptr;
    {
        const signals_locked lock;
        watch_locked(wanted & ~faults);
        self = mine.self_locked();
    }
    if (self == nullptr) {
        return fail_with(EAGAIN);
    }
    const unsigned handled = self->handled.load(std::memory_order_relaxed);
    for (;;) {
        // Before the look: what is sent after it is seen as news.
        const unsigned seen = table->news.load(std::memory_order_acquire);
        const std::uint32_t rung = as_fiber ? lisle_host_rung() : 0;
        {
            const signals_locked lock;
            if (mine.take_locked(*self, wanted, into)) {
                return into.si_signo;
            }
        }
        if (self->handled.load(std::memory_order_relaxed) != handled) {
            return fail_with(EINTR);
        }
        if (end.left(1) <= 0) {
            return fail_with(EAGAIN);
        }
        sleep(*table, seen, rung, as_fiber, end);
    }
}

/// Lets others of the worker run until a handler has run on this fiber.
int pause_as_fiber(const handler_watch &handlers) {
    for (;;) {
        const std::uint32_t rung = lisle_host_rung(); // before the look: a handler is rung for
        if (handlers.has_run()) {
            return fail_with(EINTR);
        }
        lisle_host_rest(rung, 0);
    }
}

/// Waits with this mask until a handler has run, however often the thread is rung for nothing.
template <class Sleep> int until_handled(Sleep sleep_once) {
    rank_signals &mine = signals_of.of(*this_rank());
    const thread_signals *self = nullptr;
    {
        const signals_locked lock;
        self = mine.self_locked();
    }
    const unsigned before = self != nullptr ? self->handled.load(std::memory_order_relaxed) : 0;
    do {
        sleep_once();
    } while (self != nullptr && self->handled.load(std::memory_order_relaxed) == before);
    return fail_with(EINTR);
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int sigtimedwait(const sigset_t *set, siginfo_t *information, const timespec *timeout) {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_timed_wait(set, information, timeout);
    }
    if (timeout != nullptr && !is_valid(*timeout)) {
        return fail_with(EINVAL);
    }
    siginfo_t taken{};
    const int signal = accept(bits_of(*set), taken,
                              timeout != nullptr ? deadline::after(nanoseconds_of(*timeout)) : deadline{},
                              __builtin_return_address(0));
    if (signal > 0 && information != nullptr) {
        *information = taken;
    }
    return signal;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *information) {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_wait_info(set, information);
    }
    siginfo_t taken{};
    const int signal = accept(bits_of(*set), taken, {}, __builtin_return_address(0));
    if (signal > 0 && information != nullptr) {
        *information = taken;
    }
    return signal;
}

int sigwait(const sigset_t *set, int *signal) {
    if (!is_call_of_rank(__builtin_return_address(0))) {
        return real_sigwait(set, signal);
    }
    siginfo_t taken{};
    int found = -1;
    do { // a handler does not end it
        found = accept(bits_of(*set), taken, {}, __builtin_return_address(0));
    } while (found < 0 && errno == EINTR);
    if (found < 0) {
        return errno;
    }
    *signal = found;
    return 0;
}

int sigsuspend(const sigset_t *mask) {
    if (!is_call_of_rank(__builtin_return_address(0)) || signals_of.of(*this_rank()).use() == nullptr) {
        return real_suspend(mask);
    }
    if (!gives_way(__builtin_return_address(0))) {
        return until_handled([mask] { real_suspend(mask); });
    }
    // The handler that ends the wait may come with the mask.
    const handler_watch handlers{ended_by::every_handler};
    sigset_t before;
    change_mask(SIG_SETMASK, mask, &before);
    pause_as_fiber(handlers);
    change_mask(SIG_SETMASK, &before, nullptr);
    return fail_with(EINTR);
}

int pause() {
    if (!is_call_of_rank(__builtin_return_address(0)) || signals_of.of(*this_rank()).use() == nullptr) {
        return real_pause();
    }
    return gives_way(__builtin_return_address(0)) ? pause_as_fiber(handler_watch{ended_by::every_handler})
                                                  : until_handled([] { real_pause(); });
}

} // extern "C"
