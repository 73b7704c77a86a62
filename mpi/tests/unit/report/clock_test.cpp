// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/tick_clock.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

// Stands in for the library's: what the recorder's clock is set by.
extern "C" std::int64_t lisle_watched_time() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

namespace lisle::report {
namespace {

std::uint64_t system_time() {
    return static_cast<std::uint64_t>(lisle_watched_time());
}

/// Reads the clock for a while, and compares it with the system's before and after.
void compare(tick_clock &clock, std::chrono::milliseconds duration) {
    // Two readings may differ by what an interrupt takes.
    constexpr std::uint64_t apart = 1'000'000;
    const auto end = std::chrono::steady_clock::now() + duration;
    do {
        const std::uint64_t before = system_time(), read = clock.now(), after = system_time();
        ASSERT_LE(before, read + apart);
        ASSERT_LE(read, after + apart);
    } while (std::chrono::steady_clock::now() < end);
}

TEST(tick_clock, shows_the_time_of_the_system) {
    tick_clock::begin();
    tick_clock first;
    compare(first, std::chrono::milliseconds{1});
    tick_clock::use_counter();
    compare(first, std::chrono::milliseconds{120}); // set again at least twice
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    compare(first, std::chrono::milliseconds{1});
    std::vector<std::thread> others;
    for (int count = 0; count != 4; ++count) {
        others.emplace_back([] {
            tick_clock own;
            compare(own, std::chrono::milliseconds{20});
        });
    }
    for (std::thread &each : others) {
        each.join();
    }
}

} // namespace
} // namespace lisle::report
