// SPDX-License-Identifier: Apache-2.0
#include "execution/doorbell.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle {

namespace {

// Not FUTEX_PRIVATE_FLAG: the sleeper and the waker may be different processes.
void wake(std::atomic<std::uint32_t> &word, int most) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE, most, nullptr, nullptr, 0);
}

void sleep_on(std::atomic<std::uint32_t> &word, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    const timespec limit{static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
    syscall(SYS_futex, &word, FUTEX_WAIT, seen, nanoseconds != 0 ? &limit : nullptr, nullptr, 0);
}

} // namespace

void doorbell::ring() noexcept {
    word_.fetch_add(1, std::memory_order_seq_cst); // pairs with value() and with sleepers_
    if (to_home_ != 0) {
        call_fiber();
    }
    if (sleepers_.load(std::memory_order_seq_cst) != 0) {
        wake(word_, INT_MAX);
    }
}

void doorbell::sleep(std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    sleep_on(word_, seen, nanoseconds);
    sleepers_.fetch_sub(1, std::memory_order_relaxed); // a ringer that sees the old count wakes in vain
}

void doorbell::call_fiber() noexcept {
    // If the bell is in the list already, its worker exchanges the flag after us and so sees our news.
    if (queued_.exchange(1, std::memory_order_acq_rel) != 0) {
        return;
    }
    const std::uint32_t units = to_home_ - 1;
    doorbell &home =
        *reinterpret_cast<doorbell *>(reinterpret_cast<char *>(this) - std::size_t{units} * unit);
    std::uint32_t newest = home.rung_.load(std::memory_order_relaxed);
    do {
        next_.store(newest, std::memory_order_relaxed);
    } while (!home.rung_.compare_exchange_weak(newest, units + 1, std::memory_order_seq_cst,
                                               std::memory_order_relaxed));
    if (home.asleep_.load(std::memory_order_seq_cst) != 0 &&
        home.asleep_.exchange(0, std::memory_order_relaxed) != 0) {
        wake(home.asleep_, 1);
    }
}

std::uint32_t doorbell::leave_list() noexcept {
    const std::uint32_t older = next_.load(std::memory_order_relaxed);
    // From here on the bell may enter a list again. Acquire: news of those who found the flag set.
    queued_.exchange(0, std::memory_order_acq_rel);
    return older;
}

void doorbell::sleep_at_home(std::uint64_t nanoseconds) noexcept {
    asleep_.store(1, std::memory_order_seq_cst);
    if (rung_.load(std::memory_order_seq_cst) == 0) {
        sleep_on(asleep_, 1, nanoseconds);
    }
    asleep_.store(0, std::memory_order_relaxed); // only saves a wake-up in vain
}

} // namespace lisle
