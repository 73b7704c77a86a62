// SPDX-License-Identifier: Apache-2.0
#include "runtime/doorbell.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lisle {

// Not FUTEX_PRIVATE_FLAG: the sleeper and the waker may be different processes.
void doorbell::ring() noexcept {
    word_.fetch_add(1, std::memory_order_release); // pairs with value(): see there
    syscall(SYS_futex, &word_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void doorbell::sleep(std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    const timespec limit{static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
    syscall(SYS_futex, &word_, FUTEX_WAIT, seen, nanoseconds != 0 ? &limit : nullptr, nullptr, 0);
}

} // namespace lisle
