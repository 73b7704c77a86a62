// SPDX-License-Identifier: Apache-2.0
#include "execution/doorbell.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
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

void doorbell::sleep_on_any(std::span<const seen_value> bells, std::uint64_t nanoseconds) noexcept {
    if (bells.size() == 1) {
        bells.front().bell->sleep(bells.front().value, nanoseconds);
        return;
    }
    for (const seen_value &each : bells) {
        each.bell->sleepers_.fetch_add(1, std::memory_order_seq_cst); // as in sleep()
    }
    std::array<futex_waitv, FUTEX_WAITV_MAX> words{};
    const std::size_t count = std::min(bells.size(), words.size());
    for (std::size_t at = 0; at != count; ++at) {
        words[at] = {.val = bells[at].value,
                     .uaddr = reinterpret_cast<std::uint64_t>(&bells[at].bell->word_),
                     .flags = FUTEX_32,
                     .__reserved = 0};
    }
    constexpr std::uint64_t among_too_many = 1'000'000, second = 1'000'000'000;
    if (count != bells.size() && (nanoseconds == 0 || nanoseconds > among_too_many)) {
        nanoseconds = among_too_many;
    }
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const std::uint64_t fraction = static_cast<std::uint64_t>(until.tv_nsec) + nanoseconds;
    until = {until.tv_sec + static_cast<time_t>(fraction / second), static_cast<long>(fraction % second)};
    if (syscall(SYS_futex_waitv, words.data(), count, 0, nanoseconds != 0 ? &until : nullptr,
                CLOCK_MONOTONIC) < 0 &&
        errno == ENOSYS) { // Linux before 5.16
        sleep_on(bells.front().bell->word_, bells.front().value, among_too_many);
    }
    for (const seen_value &each : bells) {
        each.bell->sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
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
    // From here on the bell may enter a list again. Acquire: the news of ringers that found the flag set.
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
