// SPDX-License-Identifier: Apache-2.0
// Ranks sleep on their doorbells, which other processes ring in shared memory and which no system call can
// wait for together with file descriptors. For fabrics that have descriptors one thread of the process sleeps
// on all of these, and rings the bell of the rank whose descriptor becomes readable. It begins when the first
// rank sleeps so.
#pragma once

#include "execution/doorbell.hpp"

namespace lisle::protocol::descriptor_watch {

/// Rings `bell` once, when the descriptor is readable (now, or later). Asking again replaces what was asked.
/// False: the system does not allow it; sleep for short times only. Thread-safe.
[[nodiscard]] bool ring_when_readable(int descriptor, doorbell &bell) noexcept;
/// The bell will not be rung for this descriptor any more, and may go. Thread-safe.
void forget(int descriptor) noexcept;

} // namespace lisle::protocol::descriptor_watch
