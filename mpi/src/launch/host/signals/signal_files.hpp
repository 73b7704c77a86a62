// SPDX-License-Identifier: Apache-2.0
// Descriptors of signalfd. The kernel's read what is pending for the thread that reads; a rank's signals are
// not the kernel's, so its descriptors are sockets, into which each signal that is blocked is written when it
// comes.
#pragma once

#include "launch/host/signals/rank_signals.hpp"

namespace lisle::host {

/// Writes the signal to a descriptor of the rank that wants it. False: there is none, or it is full.
/// Async-signal-safe.
bool write_to_file_locked(signal_table &of, const siginfo_t &what) noexcept;

} // namespace lisle::host
