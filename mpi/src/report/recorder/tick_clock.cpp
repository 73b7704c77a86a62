// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/tick_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "library/watched_time.hpp"

namespace lisle::report {

namespace {

/// For so long at most a clock is not set again, in ns: the system may change the rate of its own.
constexpr std::uint64_t longest = 50'000'000;
/// And for so long at least: until then rates differ by less than a thousandth.
constexpr std::uint64_t shortest = 50'000;
/// By so much the system does not change the rate of its clock.
constexpr double wrong = 1e-3;

struct reading {
    std::uint64_t ticks, time;
};

std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/// Both, read as close to each other as an interrupt lets be.
reading read_both() noexcept {
    constexpr int tries = 3;
    reading best{};
    for (std::uint64_t least = UINT64_MAX, attempt = 0; attempt != tries; ++attempt) {
        const std::uint64_t before = ticks_now();
        const auto time = static_cast<std::uint64_t>(lisle_watched_time());
        const std::uint64_t took = ticks_now() - before;
        if (took < least) {
            least = took;
            best = {before + took / 2, time};
        }
    }
    return best;
}

// Written before other threads read.
reading first{};
bool counts = false;

} // namespace

void tick_clock::begin() noexcept {
    first = read_both();
}

void tick_clock::use_counter() noexcept {
#if defined(__x86_64__)
    // The system uses the counter for its own clock only where all processors show the same, at one rate.
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> source{
        std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re"), &std::fclose};
    char name[8] = "";
    counts = source != nullptr && std::fgets(name, sizeof name, source.get()) != nullptr &&
             std::strcmp(name, "tsc\n") == 0;
#endif
}

std::uint64_t tick_clock::set_again() noexcept {
    if (!counts) {
        return static_cast<std::uint64_t>(lisle_watched_time());
    }
    const reading here = read_both();
    if (rate_ == 0) {
        from_ticks_ = first.ticks;
        from_time_ = first.time;
    }
    const std::uint64_t known = here.time - from_time_;
    const double measured = static_cast<double>(known) / static_cast<double>(here.ticks - from_ticks_);
    if (rate_ == 0 || std::abs(measured / rate_ - 1) < wrong) {
        rate_ = measured;
    } else { // the machine has slept: its counter went on, and its clock did not
        from_ticks_ = here.ticks;
        from_time_ = here.time;
    }
    ticks_ = here.ticks;
    time_ = here.time;
    // No further than the rate has been measured: then its error adds no more than those of two readings.
    most_ = static_cast<std::uint64_t>(static_cast<double>(std::clamp(known, shortest, longest)) / rate_);
    return here.time;
}

} // namespace lisle::report
