// SPDX-License-Identifier: Apache-2.0
// The time by which a tool watches a rank.
#pragma once

#include <cstdint>

/// What the clocks of the calling rank's program show, in nanoseconds, on CLOCK_MONOTONIC where time is not
/// simulated. Takes no simulated time: for tools that are built together with this library, and that are not
/// to change what they watch. Thread-safe.
extern "C" [[gnu::visibility("default")]] std::int64_t lisle_watched_time() noexcept;

/// Whether time is simulated for the calling rank: it lives on a modelled machine. Thread-safe.
extern "C" [[gnu::visibility("default")]] int lisle_watched_is_simulated() noexcept;

// The same tools may ask what the program of the calling rank computes between two calls.

/// Where time is simulated, charges the rank what its program has computed since the last call, as
/// MPIX_Tile_compute does, if that is metered. What is computed from here on is the tool's. @return the
/// cycles; -1: time is not simulated
extern "C" [[gnu::visibility("default")]] std::int64_t lisle_watched_computing() noexcept;
/// What is computed from here on is the program's. @return 0: time is not simulated
extern "C" [[gnu::visibility("default")]] int lisle_watched_program_goes_on() noexcept;
