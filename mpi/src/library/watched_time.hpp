// SPDX-License-Identifier: Apache-2.0
// The time by which a tool watches a rank.
#pragma once

#include <cstdint>

/// What the clocks of the calling rank's program show, in nanoseconds, on CLOCK_MONOTONIC where time is not
/// simulated. Takes no simulated time: for tools that are built together with this library, and that are not
/// to change what they watch. Thread-safe.
extern "C" [[gnu::visibility("default")]] std::int64_t lisle_watched_time() noexcept;
