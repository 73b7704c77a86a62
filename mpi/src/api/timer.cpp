// SPDX-License-Identifier: Apache-2.0
// Timers: seconds of CLOCK_MONOTONIC, which no adjustment of the wall clock moves, or of the time that the
// calling rank's job lives by.
#include "api/timer.hpp"

#include <ctime>

#include "execution/rank.hpp"
#include "execution/simulated_time.hpp"
#include "world/job.hpp"

namespace lisle::api {

namespace {

double seconds(const timespec &time) noexcept {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// That of the calling rank, if it has one.
job_clock *simulated_clock() noexcept {
    const rank *const caller = detail::current_rank; // timers may be read before MPI_Init
    job_clock *const own = caller != nullptr ? &caller->get_job().clock() : nullptr;
    return own != nullptr && own->simulated() ? own : nullptr;
}

} // namespace

double wtime() {
    if (job_clock *const own = simulated_clock()) {
        return 1e-9 * static_cast<double>(read_simulated(*own, known_rank().number()));
    }
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds(now);
}

double wtick() {
    if (job_clock *const own = simulated_clock()) {
        return own->resolution();
    }
    timespec resolution{};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return seconds(resolution);
}

} // namespace lisle::api
