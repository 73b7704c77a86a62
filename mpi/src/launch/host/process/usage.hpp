// SPDX-License-Identifier: Apache-2.0
// Processor time of each rank: that of its threads, or of its fiber while it ran. The kernel counts threads;
// a fiber's share of its worker's time is measured at each turn from the first question on, and before that
// the fibers of a worker have equal shares.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <cstdint>

namespace lisle::host {

/// The calling thread is one of the rank's from now on, or leaves it.
void begin_usage(hosted_rank &rank);
void end_usage(hosted_rank &rank) noexcept;

/// Nanoseconds of a processor that the calling rank has used, and those that its thread or fiber has.
[[nodiscard]] std::int64_t used_by_rank();
[[nodiscard]] std::int64_t used_by_caller();

} // namespace lisle::host
