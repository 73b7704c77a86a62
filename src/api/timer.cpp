// SPDX-License-Identifier: Apache-2.0
// Timers: seconds of CLOCK_MONOTONIC, which no adjustment of the wall clock moves.
#include "api/timer.hpp"

#include <ctime>

namespace lisle::api {

namespace {

double seconds(const timespec &time) noexcept {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

double wtime() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds(now);
}

double wtick() {
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return seconds(resolution);
}

} // namespace lisle::api
