// SPDX-License-Identifier: Apache-2.0
// Timers of ranks. Each is one of the kernel's, whose signal goes to the host's main thread and carries the
// record of the timer.
#pragma once

#include "launch/host/signals/rank_signals.hpp"

namespace lisle::host {

/// Async-signal-safe, as the others.
[[nodiscard]] bool is_of_timer_locked(const siginfo_t &information) noexcept;
/// Makes of a timer's signal what its rank is to see. Null: the timer is gone.
rank_signals *rank_of_timer_locked(siginfo_t &information) noexcept;

/// The rank has ended: its timers go.
void end_timers_locked(const rank_signals &of) noexcept;

} // namespace lisle::host
