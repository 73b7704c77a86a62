// SPDX-License-Identifier: Apache-2.0
// Reading a simulated clock.
#pragma once

#include <cstdint>

namespace lisle {

class job_clock;

/// What a program of the calling rank reads from the clock, in nanoseconds. Each reading takes simulated
/// time, so a program that polls the clock makes progress. Other fibers of the worker may run meanwhile.
/// @pre the clock is a simulated one, and the caller runs this rank
[[nodiscard]] std::int64_t read_simulated(job_clock &clock, int rank) noexcept;

} // namespace lisle
