// SPDX-License-Identifier: Apache-2.0
// What a rank does that crashes, whatever kind it is of.
#pragma once

#include <cstdint>

#include "world/bootstrap.hpp"

namespace lisle {

/// For the handler of a signal that ends the process: tells the launcher which rank it was, and its stack. If
/// the process has other ranks, waits until the launcher has asked what those are doing.
/// @param rank in the job; negative: no rank's thread
void report_crash(bootstrap &start, int rank, int signal, std::uintptr_t address) noexcept;

/// What LISLE_CRASH wants to have prepared.
void prepare_for_crash() noexcept;

} // namespace lisle
