// SPDX-License-Identifier: Apache-2.0
// The process id of each rank. Programs name files and choose seeds by it, so no two ranks may have the same.
// It is the kernel's number of a thread: the one that runs a thread rank, or one that sleeps for a fiber. So
// it is no other process's, signals sent to it from outside reach the process, and /proc has it.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <sys/types.h>

namespace lisle::host {

/// Notes that the calling thread runs this rank's main.
void note_number(hosted_rank &rank) noexcept;

/// What getpid() is to the rank. Makes the number of a fiber if it has none yet.
[[nodiscard]] pid_t number_of(hosted_rank &rank) noexcept;

/// The same without making one: if a fiber has none yet, the process's. Async-signal-safe.
[[nodiscard]] pid_t known_number() noexcept;

/// Whether a number means the calling rank: its own, or the process's.
[[nodiscard]] bool is_own_number(pid_t number) noexcept;

} // namespace lisle::host
