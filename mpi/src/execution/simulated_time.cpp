// SPDX-License-Identifier: Apache-2.0
#include "execution/simulated_time.hpp"

#include "execution/clock.hpp"
#include "execution/fiber_worker.hpp"

namespace lisle {

namespace {
// The cost of a reading for a rank whose core does nothing else.
constexpr std::int64_t least_nanoseconds = 1000;
} // namespace

std::int64_t read_simulated(job_clock &clock, int rank) noexcept {
    fiber_worker *const worker = fiber_worker::current();
    const std::int64_t before = clock.nanoseconds();
    clock.compute_reading(rank);
    while (clock.computing(rank)) {
        clock.found_nothing(rank);
        if (worker != nullptr && clock.computing(rank)) {
            worker->yield();
        }
    }
    if (clock.nanoseconds() == before) {
        (void)clock.all_blocked(before + least_nanoseconds);
    }
    clock.program_goes_on();
    return clock.nanoseconds();
}

} // namespace lisle
