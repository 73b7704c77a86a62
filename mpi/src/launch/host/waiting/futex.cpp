// SPDX-License-Identifier: Apache-2.0
// The kernel's futexes, on which the C++ library's std::future, std::atomic::wait, latches, semaphores and
// guards of static objects wait, as fiber ranks see them: other ranks of the worker run meanwhile.
#include "launch/host/rank/by_errno.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/waiting/wait_queues.hpp"

#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"syscall", long(long, ...)> real_syscall;

/// The arguments of a system call, of which it may have fewer.
struct arguments {
    long words[6];
};

int command_of(const arguments &given) {
    return static_cast<int>(given.words[1]) & FUTEX_CMD_MASK;
}

/// When the call is to give up. [futex(2): relative for FUTEX_WAIT, absolute for FUTEX_WAIT_BITSET]
deadline end_of(const arguments &given) {
    const auto *const time = reinterpret_cast<const timespec *>(given.words[3]);
    if (time == nullptr) {
        return {};
    }
    if (command_of(given) == FUTEX_WAIT) {
        return deadline::after(nanoseconds_of(*time));
    }
    return {(given.words[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
            nanoseconds_of(*time)};
}

long wait_as_fiber(const arguments &given) {
    auto *const word = reinterpret_cast<unsigned *>(given.words[0]);
    const deadline end = end_of(given);
    waiting_fiber self(word);
    if (std::atomic_ref(*word).load(std::memory_order_seq_cst) != static_cast<unsigned>(given.words[2])) {
        return fail_with(EAGAIN); // after entering: either this look or the waker's comes second
    }
    // A wake may come from another process, which is not seen here; a futex may return for no reason.
    // [futex(2)]
    constexpr std::int64_t between_looks = 4'000'000;
    const std::int64_t left = end.left(between_looks);
    if (left <= 0) {
        return fail_with(ETIMEDOUT);
    }
    if (!self.wait(deadline::after(left))) {
        constexpr std::int64_t some_work = 200'000;
        let_machine_work(some_work);
    }
    return 0;
}

long futex(const arguments &given, const void *caller) {
    const auto &[word, operation, value, time, second_word, bits] = given.words;
    const int command = command_of(given);
    if ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && gives_way(caller)) {
        return wait_as_fiber(given);
    }
    long woken = real_syscall(SYS_futex, word, operation, value, time, second_word, bits);
    const bool wakes = command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
    if (wakes && woken >= 0 && woken < value && has_waiters()) {
        woken += wake(reinterpret_cast<const void *>(word), static_cast<int>(value - woken));
    }
    return woken;
}

} // namespace

} // namespace lisle::host

// Takes six words, as the C library's function does, however many the caller has given; AddressSanitizer
// would object to that.
extern "C" [[gnu::no_sanitize_address]] long syscall(long number, ...) noexcept {
    lisle::host::arguments given{};
    std::va_list list;
    va_start(list, number);
    for (long &word : given.words) {
        word = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_futex) {
        return lisle::host::futex(given, __builtin_return_address(0));
    }
    const auto &[a, b, c, d, e, f] = given.words;
    return lisle::host::real_syscall(number, a, b, c, d, e, f);
}
